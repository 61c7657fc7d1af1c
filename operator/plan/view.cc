// Plans that change status.
#include "operator/plan/view.h"

#include <algorithm>

#include "operator/plan/deadline.h"
#include "operator/plan/events.h"
#include "operator/plan/status.h"

namespace lockstep {

View::View(const Observed& observed, Time time)
    : seen(observed),
      job(observed.job),
      status(observed.job.status),
      nodes(sort_nodes(observed.job, observed.pods)),
      now(time) {}

Plan plan_status(const View& view, JobStatus status, std::optional<Time> look_again) {
  status = with_observations(std::move(status), view.seen, view.nodes, view.now);
  Plan plan;
  plan.events = news(view.status, status);
  plan.look_again = look_again;
  if (const auto deadline = active_deadline(view.job.spec.run_policy, status)) {
    look_again_at(plan, *deadline);
  }
  if (to_json(status) != to_json(view.status)) plan.status = std::move(status);
  return plan;
}

void look_again_at(Plan& plan, Time time) {
  plan.look_again = std::min(plan.look_again.value_or(time), time);
}

}  // namespace lockstep
