// The operations of torch.nn.utils.clip_grad, one for one.
#include "trainer/optim/clip.h"

#include "trainer/torch.h"

namespace lockstep {

std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

at::Tensor gradient_norm(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  if (gradients.empty()) return at::zeros({});
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2.0)), 2.0);
}

at::Tensor clip_gradient_norm(const std::vector<at::Tensor>& parameters, double most) {
  const at::NoGradGuard no_grad;
  const at::Tensor norm = gradient_norm(parameters);
  // Python divides a number by a tensor as reciprocal, then product; a true division rounds once.
  const at::Tensor factor = norm.add(1e-6).reciprocal().mul(most).clamp_max(1.0);
  at::_foreach_mul_(gradients_of(parameters), factor);
  return norm;
}

void clip_gradient_values(const std::vector<at::Tensor>& parameters, double most) {
  const at::NoGradGuard no_grad;
  const std::vector<at::Tensor> gradients = gradients_of(parameters);
  at::_foreach_clamp_min_(gradients, -most);
  at::_foreach_clamp_max_(gradients, most);
}

}  // namespace lockstep
