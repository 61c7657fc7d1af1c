// What a device is called, in cuda_name.cc and, for a build without CUDA, no_cuda_name.cc.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace lockstep {

// "NVIDIA H100 80GB HBM3"; empty for a CPU.
std::string cuda_name(at::Device device);

}  // namespace lockstep
