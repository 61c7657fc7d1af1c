// What the pods show, written into status.
#pragma once

#include "operator/plan/nodes.h"

namespace lockstep {

// `status` with counts, conditions, columns and phase brought up to what is seen. `status` may
// already have begun a new attempt, which then has no pods yet. A finished status keeps its
// conditions.
JobStatus with_observations(JobStatus status, const Observed& seen, const Nodes& nodes, Time now);

// What the job waits for, in one sentence: the scheduler's, the kubelet's or the API server's own
// words.
std::string why_not_running(const JobStatus& status);

}  // namespace lockstep
