// Between LibTorch's tensors and the records of a safetensors file.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "trainer/state/safetensors.h"

namespace torch::nn {
class Module;
}

namespace lockstep {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Parameters, then buffers, of `module` under their dotted names; they share its memory.
NamedTensors tensors_of(const torch::nn::Module& module);

// Contiguous copies in host memory, or the tensors themselves where they already are that.
NamedTensors on_host(const NamedTensors& tensors);

// Records over `tensors`, which must be on_host() and outlive them.
std::vector<TensorRecord> records_of(const NamedTensors& tensors);

// Whether shape and type are equal.
bool is_like(const TensorRecord& record, const at::Tensor& tensor);

// Copies a record into a tensor that is like it.
void copy(const TensorRecord& record, const at::Tensor& tensor);

// Copies the tensors of `file` into those of the same name. Throws std::invalid_argument "<what>:
// ..." when a name is missing on either side or a shape or type differs.
void restore(const std::string& what, const Safetensors& file, const NamedTensors& tensors);

}  // namespace lockstep
