// Reads cgroup files; see cpu_quota.h.
#include "trainer/launch/cpu_quota.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<double> quotient(double quota, double period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// One cgroup's own quota, whichever version's files stand in its directory.
std::optional<double> quota_at(const fs::path& cgroup) {
  if (const auto v2 = parse_cpu_max(read_text(cgroup / "cpu.max"))) return v2;
  double quota = 0;
  double period = 0;
  std::istringstream(read_text(cgroup / "cpu.cfs_quota_us")) >> quota;
  std::istringstream(read_text(cgroup / "cpu.cfs_period_us")) >> period;
  return quotient(quota, period);
}

// A container may see its own cgroup mounted as the root while /proc names the host's path: walking
// up to the root finds it either way.
std::optional<double> least_quota(const fs::path& mount, fs::path cgroup) {
  std::optional<double> least;
  for (;; cgroup = cgroup.parent_path()) {
    const auto quota = quota_at(mount / cgroup.relative_path());
    if (quota && (!least || *quota < *least)) least = quota;
    if (!cgroup.has_relative_path()) return least;
  }
}

bool holds_cpu(std::string_view controllers) {
  for (std::size_t begin = 0; begin <= controllers.size();) {
    const std::size_t end = std::min(controllers.find(',', begin), controllers.size());
    if (controllers.substr(begin, end - begin) == "cpu") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::optional<double> parse_cpu_max(std::string_view text) {
  double quota = 0;
  double period = 0;
  if (!(std::istringstream(std::string(text)) >> quota >> period)) return std::nullopt;
  return quotient(quota, period);
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  std::istringstream lines(read_text(root / "proc/self/cgroup"));
  std::optional<double> least;
  for (std::string line; std::getline(lines, line);) {  // hierarchy:controllers:path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path cgroup = line.substr(second + 1);
    std::optional<double> quota;
    if (controllers.empty()) quota = least_quota(mount, cgroup);
    if (holds_cpu(controllers)) quota = least_quota(mount / controllers, cgroup);
    if (holds_cpu(controllers) && !quota) quota = least_quota(mount / "cpu", cgroup);
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

double usable_cpus() {
  double cpus = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cpus = std::max(1, CPU_COUNT(&set));
  return std::min(cpus, cgroup_cpu_quota().value_or(cpus));
}

}  // namespace lockstep
