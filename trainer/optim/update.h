// One optimizer step for a list of parameters, in the arithmetic of Python's torch.optim.
//
// torch.optim has three implementations. Its default is the loop over single tensors on the CPU and
// foreach on CUDA; those two agree to the last bit on the CPU. Its fused kernels round differently
// (half of the elements differ in the last bit after 50 steps), so the sequences here are foreach.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "trainer/config/config.h"

namespace lockstep {

// Lists of equal length, one element per parameter. Moments are by kind: moments[kind][parameter].
struct Updated {
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;  // never written
  std::vector<std::vector<at::Tensor>> moments;
  std::vector<double> steps;  // the number of this step, from 1
  double weight_decay = 0;
};

// What an optimizer keeps per parameter, and how it steps. `update` runs under NoGradGuard.
struct UpdateRule {
  std::vector<std::string> moments;  // torch's names; each has the parameter's shape, from zero
  bool counts_steps;                 // whether "step" belongs to the saved state
  void (*update)(const Updated& updated, const OptimConfig& config, double lr);
};

// torch.optim.SGD, Adam (decay added to the gradient) or AdamW (decay apart from it). Throws
// std::invalid_argument for another config.name.
UpdateRule update_rule(const OptimConfig& config);

}  // namespace lockstep
