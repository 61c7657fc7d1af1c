// Reads cgroup files; see cpu_quota.h.
#include "trainer/launch/cpu_quota.h"

#include <sched.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <thread>

#include "trainer/launch/cgroup.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

std::optional<double> quotient(double quota, double period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

// One cgroup's own quota, whichever version's files stand in its directory.
std::optional<double> quota_at(const fs::path& cgroup) {
  if (const auto v2 = parse_cpu_max(cgroup_text(cgroup / "cpu.max"))) return v2;
  double quota = 0;
  double period = 0;
  std::istringstream(cgroup_text(cgroup / "cpu.cfs_quota_us")) >> quota;
  std::istringstream(cgroup_text(cgroup / "cpu.cfs_period_us")) >> period;
  return quotient(quota, period);
}

}  // namespace

std::optional<double> parse_cpu_max(std::string_view text) {
  double quota = 0;
  double period = 0;
  if (!(std::istringstream(std::string(text)) >> quota >> period)) return std::nullopt;
  return quotient(quota, period);
}

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  return least_cgroup_limit(root, "cpu", quota_at);
}

double usable_cpus() {
  double cpus = std::max(1U, std::thread::hardware_concurrency());
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cpus = std::max(1, CPU_COUNT(&set));
  return std::min(cpus, cgroup_cpu_quota().value_or(cpus));
}

}  // namespace lockstep
