// Stochastic gradient descent with momentum, as torch.optim.SGD computes it:
//   g = gradient + weight_decay * p;  v = momentum * v + g;  p -= lr * (nesterov ? g + momentum * v
//   : v)
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

#include "trainer/config/config.h"

namespace lockstep {

class Sgd {
 public:
  // Optimizes the parameters of `model`, which it keeps alive; velocities start at zero.
  Sgd(const torch::nn::Module& model, const OptimConfig& config);

  // One update with rate `lr`. Throws std::logic_error when a parameter has no gradient.
  void step(double lr);

  // The velocities as "<parameter>.momentum_buffer"; none without momentum. Writing into these
  // tensors restores a saved state.
  std::vector<std::pair<std::string, at::Tensor>> state() const;

 private:
  OptimConfig config_;
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> velocities_;
};

}  // namespace lockstep
