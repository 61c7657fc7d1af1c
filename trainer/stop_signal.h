// SIGTERM and SIGINT ask for a stop.
#pragma once

#include <atomic>

namespace lockstep {

// From here on the first SIGTERM or SIGINT ends the process at once with exit code 80: before
// training begins the state is what it was. The second one ends it by the signal's default action.
void end_on_stop_signal();

// From here on the first one sets the flag that this returns, so that training can stop at a common
// step and save.
const std::atomic<bool>& note_stop_signal();

}  // namespace lockstep
