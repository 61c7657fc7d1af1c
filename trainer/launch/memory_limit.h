// How much memory this process and those beside it in its container may have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace lockstep {

// Bytes: the smallest limit of this process's cgroup and all above it, v1 (memory.limit_in_bytes)
// or v2 (memory.max); nullopt without one. `root` as in cgroup_cpu_quota().
std::optional<std::uint64_t> cgroup_memory_limit(const std::filesystem::path& root = "/");

// Bytes of main memory of the machine (MemTotal of proc/meminfo); 0 when that cannot be read.
std::uint64_t machine_memory(const std::filesystem::path& root = "/");

}  // namespace lockstep
