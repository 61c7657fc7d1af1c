// Counts device files, so that the launcher needs no driver library; see accelerators.h.
#include "trainer/launch/accelerators.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>

namespace lockstep {
namespace {

// "nvidia0", not "nvidiactl" or "nvidia-uvm".
bool is_gpu(const std::string& file) {
  constexpr std::string_view kPrefix = "nvidia";
  return file.size() > kPrefix.size() && file.starts_with(kPrefix) &&
         file.find_first_not_of("0123456789", kPrefix.size()) == std::string::npos;
}

// CUDA ignores the first invalid entry and all behind it.
int listed(const std::string& visible) {
  std::istringstream entries(visible);
  int count = 0;
  for (std::string entry; std::getline(entries, entry, ',');) {
    if (entry.empty() || entry.starts_with("-") || entry == "NoDevFiles") break;
    ++count;
  }
  return count;
}

}  // namespace

int visible_gpus(const std::optional<std::string>& visible, const std::filesystem::path& dev) {
  std::error_code error;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dev, error)) {
    if (is_gpu(entry.path().filename())) ++files;
  }
  return visible ? std::min(files, listed(*visible)) : files;
}

}  // namespace lockstep
