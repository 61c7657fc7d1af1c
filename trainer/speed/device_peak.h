// What devices can compute at best. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep {

// Floating-point operations a second, without sparsity, of the CUDA device with that name, for
// train.precision fp32, bf16 or fp16. fp32 means TF32 where the device has it: the best that it can
// do with such numbers. From the vendor's data sheets; empty for other devices.
std::optional<double> peak_flops(std::string_view device, std::string_view precision);

}  // namespace lockstep
