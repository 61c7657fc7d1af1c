// Copies into what is there from the time before.
#include "trainer/state/torch_snapshot.h"

#include "trainer/torch.h"

namespace lockstep {
namespace {

bool fits(const at::Tensor& copy, const at::Tensor& tensor) {
  return copy.defined() && copy.sizes() == tensor.sizes() &&
         copy.scalar_type() == tensor.scalar_type();
}

}  // namespace

NamedTensors Snapshot::take(const NamedTensors& tensors) {
  const at::NoGradGuard no_grad;
  copies_.resize(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    at::Tensor& copy = copies_[i].second;
    if (!fits(copy, tensor)) copy = at::empty(tensor.sizes(), at::dtype(tensor.scalar_type()));
    copy.copy_(tensor);
    copies_[i].first = name;
  }
  return copies_;
}

}  // namespace lockstep
