// One row a product. NVIDIA's data sheets give tensor cores with sparsity for some: half of that.
#include "trainer/speed/device_peak.h"

namespace lockstep {
namespace {

struct Peak {
  std::string_view part;    // of the device's name
  double fp32, bf16, fp16;  // tera-operations a second; 0: the device has no such unit
};

// The first row whose part is in the name counts: special models before the common one.
constexpr Peak kPeaks[] = {
    {"B200", 1125, 2250, 2250},    {"H200 NVL", 417.5, 835.5, 835.5},
    {"H200", 494.5, 989.5, 989.5}, {"H100 NVL", 417.5, 835.5, 835.5},
    {"H100 PCIe", 378, 756, 756},  {"H100", 494.5, 989.5, 989.5},
    {"A100", 156, 312, 312},       {"A30", 82, 165, 165},
    {"L40S", 183, 362.05, 362.05}, {"A10", 62.5, 125, 125},
    {"A10G", 35, 70, 70},          {"L4", 60, 121, 121},
    {"V100S", 16.4, 0, 130},       {"V100-PCIE", 14, 0, 112},
    {"V100", 15.7, 0, 125},        {"T4", 8.1, 0, 65},
};

// "L4" is no part of "L40", nor "T4" of "T400".
bool holds(std::string_view name, std::string_view part) {
  const std::size_t at = name.find(part);
  if (at == std::string_view::npos) return false;
  const std::size_t after = at + part.size();
  const bool is_end = after == name.size() || name[after] == ' ' || name[after] == '-';
  return is_end && (at == 0 || name[at - 1] == ' ');
}

}  // namespace

std::optional<double> peak_flops(std::string_view device, std::string_view precision) {
  constexpr double kTera = 1e12;
  for (const Peak& peak : kPeaks) {
    if (!holds(device, peak.part)) continue;
    const double peak_of = precision == "fp32"   ? peak.fp32
                           : precision == "bf16" ? peak.bf16
                                                 : peak.fp16;
    return peak_of > 0 ? std::optional(peak_of * kTera) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace lockstep
