// Reads /proc/<pid>/stat; see process_tree.h.
#include "trainer/launch/process_tree.h"

#include <sys/prctl.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>

namespace lockstep {
namespace {

std::vector<ProcessStat> all_processes() {
  std::vector<ProcessStat> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto stat = process_stat(entry.path())) found.push_back(*stat);
  }
  return found;
}

bool is_stopped(char state) { return state == 'T' || state == 't'; }

}  // namespace

// By proc(5): "pid (name) state ppid pgrp ...", where the name may hold anything, parentheses too.
std::optional<ProcessStat> process_stat(const std::filesystem::path& folder) {
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  ProcessStat stat;
  std::istringstream(text) >> stat.pid;
  std::istringstream fields(text.substr(name_end + 1));
  fields >> stat.state >> stat.parent >> stat.group;
  if (!fields) return std::nullopt;
  return stat;
}

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::vector<pid_t> descendants(pid_t ancestor) {
  std::multimap<pid_t, pid_t> children;
  for (const ProcessStat& process : all_processes()) children.emplace(process.parent, process.pid);
  std::vector<pid_t> found;
  for (std::vector<pid_t> open = {ancestor}; !open.empty();) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [begin, end] = children.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      found.push_back(child->second);
      open.push_back(child->second);
    }
  }
  return found;
}

std::vector<pid_t> group_members(pid_t group) {
  std::vector<pid_t> found;
  for (const ProcessStat& process : all_processes()) {
    if (process.group == group) found.push_back(process.pid);
  }
  return found;
}

std::set<pid_t> stopped_groups() {
  std::set<pid_t> found;
  for (const ProcessStat& process : all_processes()) {
    if (is_stopped(process.state)) found.insert(process.group);
  }
  return found;
}

}  // namespace lockstep
