// How long a job may run, and how long it may take to start.
#pragma once

#include <optional>

#include "operator/plan/verdict.h"
#include "operator/plan/view.h"

namespace lockstep {

// runPolicy.activeDeadlineSeconds, counted from status.startTime, which a suspension clears and a
// resume sets anew; absent: it may run for ever, or does not run.
std::optional<Time> active_deadline(const RunPolicy& policy, const JobStatus& status);

// When every node of this attempt must have started (runPolicy.startupDeadlineSeconds), pods of the
// attempt before included, which have to go first; absent once they all have.
std::optional<Time> startup_deadline(const View& view);

// Present once the deadline has passed.
std::optional<Verdict> ran_too_long(const View& view);
std::optional<Verdict> started_too_late(const View& view);

}  // namespace lockstep
