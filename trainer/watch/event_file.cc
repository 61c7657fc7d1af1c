// Finds a name after all others; see event_file.h.
#include "trainer/watch/event_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

namespace lockstep {
namespace {

constexpr std::string_view kPrefix = "events.out.tfevents.";
constexpr std::int64_t kMostSeconds = 9'999'999'999;  // ten digits

// -1 for other names.
std::int64_t seconds_in(std::string_view name) {
  std::int64_t seconds = -1;
  if (name.starts_with(kPrefix)) {
    name.remove_prefix(kPrefix.size());
    std::from_chars(name.data(), name.data() + name.size(), seconds);
  }
  return seconds < kMostSeconds ? seconds : -1;
}

std::int64_t newest_in(const std::filesystem::path& directory) {
  std::int64_t newest = -1;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    newest = std::max(newest, seconds_in(entry.path().filename().string()));
  }
  return newest;
}

}  // namespace

int open_events(const std::filesystem::path& directory, std::int64_t now) {
  std::filesystem::create_directories(directory);
  const std::int64_t seconds = std::max(now, newest_in(directory) + 1);
  char name[64];
  std::snprintf(name, sizeof name, "%s%010lld.lockstep", kPrefix.data(),
                static_cast<long long>(seconds));
  const std::filesystem::path file = directory / name;
  const int descriptor =
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor >= 0) return descriptor;
  throw std::system_error(errno, std::generic_category(), "cannot make " + file.string());
}

}  // namespace lockstep
