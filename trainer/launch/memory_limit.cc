// Reads cgroup files and /proc/meminfo; see memory_limit.h.
#include "trainer/launch/memory_limit.h"

#include <sstream>
#include <string>

#include "trainer/launch/cgroup.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Version 1 writes "no limit" as the largest multiple of a page that fits: far above any machine.
constexpr double kNoLimit = 1e18;

std::optional<double> limit_at(const fs::path& cgroup) {
  for (const char* file : {"memory.max", "memory.limit_in_bytes"}) {
    double bytes = 0;
    std::istringstream text(cgroup_text(cgroup / file));
    if (text >> bytes && bytes > 0 && bytes < kNoLimit) return bytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> cgroup_memory_limit(const fs::path& root) {
  const auto bytes = least_cgroup_limit(root, "memory", limit_at);
  return bytes ? std::optional(static_cast<std::uint64_t>(*bytes)) : std::nullopt;
}

std::uint64_t machine_memory(const fs::path& root) {
  std::istringstream text(cgroup_text(root / "proc/meminfo"));
  std::string name;
  std::uint64_t kibibytes = 0;
  while (text >> name >> kibibytes && name != "MemTotal:") {
    text.ignore(80, '\n');
    kibibytes = 0;
  }
  return kibibytes * 1024;
}

}  // namespace lockstep
