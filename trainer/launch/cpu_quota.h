// How many CPUs this process may use: its affinity mask and its cgroup's CPU quota.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace lockstep {

// The text of cgroup v2's cpu.max, "150000 100000" = 1.5 CPUs; nullopt for "max" or nonsense.
std::optional<double> parse_cpu_max(std::string_view text);

// The smallest quota of this process's cgroup and all above it, v1 or v2 (Linux
// admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst); nullopt without one. `root` holds
// proc/self/cgroup and sys/fs/cgroup, for tests.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

// Affinity and quota together, above zero.
double usable_cpus();

}  // namespace lockstep
