// The host's peak is VmHWM of proc_pid_status(5): getrusage's would be that of whoever started us,
// if that was more.
#include "trainer/speed/memory.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <fstream>
#include <string>

#include "trainer/torch.h"

namespace lockstep {
namespace {

std::optional<double> peak_of_process() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmHWM:" && status >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> peak_memory(at::Device device) {
  if (device.is_cpu()) return peak_of_process();
  using c10::CachingAllocator::StatType;
  const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  return static_cast<double>(
      stats.allocated_bytes[static_cast<std::size_t>(StatType::AGGREGATE)].peak);
}

}  // namespace lockstep
