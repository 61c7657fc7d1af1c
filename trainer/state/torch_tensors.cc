// Borrowed bytes one way, checked copies the other.
#include "trainer/state/torch_tensors.h"

#include <cstring>
#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {
namespace {

Dtype dtype_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return Dtype::kF32;
    case at::kDouble:
      return Dtype::kF64;
    case at::kHalf:
      return Dtype::kF16;
    case at::kBFloat16:
      return Dtype::kBF16;
    case at::kLong:
      return Dtype::kI64;
    case at::kInt:
      return Dtype::kI32;
    case at::kByte:
      return Dtype::kU8;
    case at::kBool:
      return Dtype::kBool;
    default:
      throw std::logic_error(std::string("no safetensors type for ") +
                             at::toString(tensor.scalar_type()));
  }
}

}  // namespace

NamedTensors tensors_of(const torch::nn::Module& module) {
  NamedTensors tensors;
  for (const auto& item : module.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

NamedTensors on_host(const NamedTensors& tensors) {
  NamedTensors copies;
  for (const auto& [name, tensor] : tensors) {
    copies.emplace_back(name, tensor.detach().to(at::kCPU).contiguous());
  }
  return copies;
}

std::vector<TensorRecord> records_of(const NamedTensors& tensors) {
  std::vector<TensorRecord> records;
  for (const auto& [name, tensor] : tensors) {
    records.push_back({name,
                       dtype_of(tensor),
                       tensor.sizes().vec(),
                       {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}});
  }
  return records;
}

bool is_like(const TensorRecord& record, const at::Tensor& tensor) {
  return record.shape == tensor.sizes().vec() && record.dtype == dtype_of(tensor);
}

void copy(const TensorRecord& record, const at::Tensor& tensor) {
  const at::NoGradGuard no_grad;
  const at::Tensor host = at::empty(tensor.sizes(), at::dtype(tensor.scalar_type()));
  if (!record.bytes.empty()) {
    std::memcpy(host.mutable_data_ptr(), record.bytes.data(), record.bytes.size());
  }
  tensor.detach().copy_(host);
}

constexpr char kRemedy[] =
    ": take the model and optimizer that it was written with, or another checkpoint.directory";

void restore(const std::string& what, const Safetensors& file, const NamedTensors& tensors) {
  const at::NoGradGuard no_grad;
  if (file.tensors().size() != tensors.size()) {
    throw std::invalid_argument(what + " holds " + std::to_string(file.tensors().size()) +
                                " tensors, " + std::to_string(tensors.size()) + " are needed" +
                                kRemedy);
  }
  for (const auto& [name, tensor] : tensors) {
    const TensorRecord* record = file.find(name);
    if (!record) throw std::invalid_argument(what + " holds no tensor " + name + kRemedy);
    if (!is_like(*record, tensor)) {
      throw std::invalid_argument(what + ": tensor " + name + " has another shape or type" +
                                  kRemedy);
    }
    copy(*record, tensor);
  }
}

}  // namespace lockstep
