// The processes below this one, from /proc: so that none outlives the launcher.
#pragma once

#include <sys/types.h>

#include <vector>

namespace lockstep {

// From now on, descendants whose parent has died become our children (a child subreaper, prctl(2)).
void adopt_orphans();

// All processes below `ancestor`, in no order, those too that ended but are not reaped. A process
// forked while we look may be missed: repeat until none is left.
std::vector<pid_t> descendants(pid_t ancestor);

}  // namespace lockstep
