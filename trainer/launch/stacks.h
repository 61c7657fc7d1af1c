// Where a rank's processes stand still: evidence, gathered before they are ended.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace lockstep {

// One line for each process of the group and, below it, one for each place where threads of it are:
// state and kernel functions, as far as Linux tells without tracing them. At most kMostPlaceLines.
std::vector<std::string> describe_threads(pid_t group);
inline constexpr std::size_t kMostPlaceLines = 64;

// Sends SIGUSR1 to each process of the group that has a handler for it, such as Python's
// faulthandler.register: others would die of it.
void ask_for_stacks(pid_t group);

}  // namespace lockstep
