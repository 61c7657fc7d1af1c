// What every thread is doing, on request.
#pragma once

namespace lockstep {

// From here on SIGUSR1 writes the stacks of all threads to standard error, one after another, and
// the process goes on. lockstep-launch asks in this way before it ends a rank that hangs.
// `c++filt` makes the names readable.
void write_stacks_on_request();

}  // namespace lockstep
