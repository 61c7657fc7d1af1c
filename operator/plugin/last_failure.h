// Who died first, in words. Pure.
#pragma once

#include <string>

#include "operator/api/job_status.h"

namespace lockstep {

// "rank 5 on node 1 (pod train-1 on machine gpu-7) of attempt 2 exited with 3, 4m ago"
std::string headline(const LastFailure& failure, Time now);

// The headline and, under it, the last lines that it printed.
std::string describe(const LastFailure& failure, Time now);

}  // namespace lockstep
