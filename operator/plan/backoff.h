// How long a restart waits: runPolicy.restartBackoff.
#pragma once

#include <chrono>

#include "operator/api/job_status.h"
#include "operator/api/run_policy.h"

namespace lockstep {

// Of failures and disruptions alike, with the one at `now`: counts from 1, anew after a stable
// stretch in which all nodes ran.
int restarts_in_a_row(const RestartBackoff& backoff, const JobStatus& status, Time now);

// The wait before the n-th restart in a row: 0, then initialSeconds, doubling up to maxSeconds.
std::chrono::seconds restart_delay(const RestartBackoff& backoff, int consecutive);

}  // namespace lockstep
