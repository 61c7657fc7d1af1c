// Pods that were told to end for the machine's or somebody's sake, not for the program's.
#pragma once

#include <optional>

#include "operator/api/core.h"

namespace lockstep {

// The pod says of itself that it was evicted, preempted or lost with its machine.
bool is_disrupted(const Pod& pod);

// Since when it has been asked to end, to the second: by a deletion or by a disruption. Time::min()
// when it says no time; nullopt when nobody has asked.
std::optional<Time> told_to_end_at(const Pod& pod);

}  // namespace lockstep
