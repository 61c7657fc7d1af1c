// What the rules of decide() work on, and the one way in which they answer.
#pragma once

#include <optional>

#include "operator/plan/nodes.h"
#include "operator/plan/observed.h"
#include "operator/plan/plan.h"

namespace lockstep {

struct View {
  View(const Observed& observed, Time time);

  const Observed& seen;
  const TrainingJob& job;
  const JobStatus& status;
  const Nodes nodes;
  const Time now;
};

// A plan without actions: `status` brought up to what is seen, unless that is what is stored
// already, and events for what its conditions say anew. It looks again at `look_again` and at the
// active deadline.
Plan plan_status(const View& view, JobStatus status, std::optional<Time> look_again = {});

// Looks again at `time`, or earlier if the plan already did.
void look_again_at(Plan& plan, Time time);

}  // namespace lockstep
