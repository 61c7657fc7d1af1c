// How long a job may run in all: runPolicy.activeDeadlineSeconds.
#pragma once

#include <optional>

#include "operator/api/job_status.h"
#include "operator/api/run_policy.h"

namespace lockstep {

// Counted from status.startTime, which a suspension clears and a resume sets anew; absent: it may
// run for ever, or does not run.
std::optional<Time> active_deadline(const RunPolicy& policy, const JobStatus& status);

}  // namespace lockstep
