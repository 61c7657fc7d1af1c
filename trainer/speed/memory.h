// How much memory a training has needed.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace lockstep {

// Bytes, the most so far: of a CUDA device what tensors had at once (torch.cuda's
// max_memory_allocated), of a CPU the resident memory of this process. Empty where the system does
// not tell.
std::optional<double> peak_memory(at::Device device);

}  // namespace lockstep
