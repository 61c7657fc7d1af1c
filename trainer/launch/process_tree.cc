// Walks /proc/<pid>/stat; see process_tree.h.
#include "trainer/launch/process_tree.h"

#include <sys/prctl.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace lockstep {
namespace {

// The parent of a process, by proc(5): "pid (name) state ppid ...", where the name may hold
// anything, parentheses too.
std::optional<pid_t> parent_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string stat;
  std::getline(file, stat, '\0');
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat.substr(name_end + 1));
  char state = 'X';
  pid_t parent = 0;
  fields >> state >> parent;
  if (!fields) return std::nullopt;
  return parent;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (bad != std::errc() || end != name.data() + name.size()) continue;
    if (const auto parent = parent_of(entry.path())) children.emplace(*parent, pid);
  }
  return children;
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

std::vector<pid_t> descendants(pid_t ancestor) {
  const auto children = children_by_parent();
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

}  // namespace lockstep
