// Walks from a cgroup up to the root; see cgroup.h.
#include "trainer/launch/cgroup.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::optional<double> lesser(const std::optional<double>& one, const std::optional<double>& other) {
  return one && other ? std::min(*one, *other) : one ? one : other;
}

// A container may see its own cgroup mounted as the root while /proc names the host's path: walking
// up to the root finds it either way.
std::optional<double> least_on_the_way_up(const fs::path& mount, fs::path cgroup,
                                          const LimitOf& limit_of) {
  std::optional<double> least;
  for (;; cgroup = cgroup.parent_path()) {
    least = lesser(least, limit_of(mount / cgroup.relative_path()));
    if (!cgroup.has_relative_path()) return least;
  }
}

bool holds(std::string_view controllers, std::string_view wanted) {
  for (std::size_t begin = 0; begin <= controllers.size();) {
    const std::size_t end = std::min(controllers.find(',', begin), controllers.size());
    if (controllers.substr(begin, end - begin) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::string cgroup_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<double> least_cgroup_limit(const fs::path& root, const std::string& controller,
                                         const LimitOf& limit_of) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::istringstream lines(cgroup_text(root / "proc/self/cgroup"));
  std::optional<double> least;
  for (std::string line; std::getline(lines, line);) {  // hierarchy:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path cgroup = line.substr(second + 1);
    const bool is_version_1 = holds(controllers, controller);
    std::optional<double> limit;
    if (controllers.empty()) limit = least_on_the_way_up(mount, cgroup, limit_of);
    if (is_version_1) limit = least_on_the_way_up(mount / controllers, cgroup, limit_of);
    if (is_version_1 && !limit) limit = least_on_the_way_up(mount / controller, cgroup, limit_of);
    least = lesser(least, limit);
  }
  return least;
}

}  // namespace lockstep
