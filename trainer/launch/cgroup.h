// What the cgroups of this process, v1 or v2, limit it to: one controller, its own and all above.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace lockstep {

// Reads one cgroup's own limit from its directory; nullopt where it has none.
using LimitOf = std::function<std::optional<double>(const std::filesystem::path& directory)>;

// The smallest limit of this process's cgroup of `controller` ("cpu", "memory") and of all above
// it; nullopt without one. `root` holds proc/self/cgroup and sys/fs/cgroup.
std::optional<double> least_cgroup_limit(const std::filesystem::path& root,
                                         const std::string& controller, const LimitOf& limit_of);

// A small file; empty when it cannot be read.
std::string cgroup_text(const std::filesystem::path& file);

}  // namespace lockstep
