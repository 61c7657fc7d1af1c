// The processes below this one, from /proc: so that none outlives the launcher.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <set>
#include <vector>

namespace lockstep {

struct ProcessStat {
  pid_t pid = 0;
  char state = 'X';  // as ps(1) shows it: T stopped, Z a zombie
  pid_t parent = 0;
  pid_t group = 0;
};

// Of the process or thread with that folder in /proc; nullopt when it has gone.
std::optional<ProcessStat> process_stat(const std::filesystem::path& folder);

// From now on, descendants whose parent has died become our children (a child subreaper, prctl(2)).
void adopt_orphans();

// All processes below `ancestor`, in no order, those too that ended but are not reaped. A process
// forked while we look may be missed: repeat until none is left.
std::vector<pid_t> descendants(pid_t ancestor);

// The processes of a process group.
std::vector<pid_t> group_members(pid_t group);

// The process groups in which one is stopped, by SIGSTOP or a debugger.
std::set<pid_t> stopped_groups();

}  // namespace lockstep
