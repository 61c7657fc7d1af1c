// Jobs that run and get no further: runPolicy.stallTimeoutSeconds.
#pragma once

#include <optional>

#include "operator/plan/loss.h"

namespace lockstep {

// How long none of the nodes has told of progress: any that moves shows that the job does. Absent
// when none has ever told of any.
std::optional<double> silent_seconds(const Reports& reports);

// A failure of the rank that the others wait for, once every node that tells its progress has told
// of none for the timeout. Only reports of all nodes count; a node that says nothing is never taken
// for one that stands still, but is to blame where the others do.
std::optional<Loss> stall_of(const Observed& seen, const Nodes& nodes);

// The condition Stalled: absent without a timeout, Unknown while no node tells its progress, as it
// was for the first minute of an attempt.
void observe_stall(JobStatus& status, const Observed& seen, const Nodes& nodes, Time now);

}  // namespace lockstep
