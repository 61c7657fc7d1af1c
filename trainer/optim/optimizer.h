// The optimizer of a model: its parameters, what is kept for each, and the step.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <string>
#include <utility>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/optim/update.h"

namespace lockstep {

class Optimizer {
 public:
  // Optimizes those parameters of `model` that require a gradient, and keeps them alive; all state
  // starts at zero. Parameters of at most one dimension (biases, norms) get weight decay only under
  // config.decay_norm_and_bias. Throws std::invalid_argument for an unknown config.name.
  Optimizer(const torch::nn::Module& model, const OptimConfig& config);

  // One update with rate `lr`, equal to torch.optim's on the CPU bit for bit. A parameter without
  // a gradient is passed over, as torch does; throws std::logic_error when none has one.
  void step(double lr);

  // torch's names, "<parameter>.<kind>": SGD's momentum_buffer (none without momentum; with
  // dampening also step), Adam's exp_avg, exp_avg_sq and step (float32, scalar), all on the
  // parameter's device. Writing into these tensors before the next step restores a saved state.
  std::vector<std::pair<std::string, at::Tensor>> state() const;

  // In the order of the model's registration.
  const std::vector<at::Tensor>& parameters() const { return parameters_; }

 private:
  Updated with_gradients(bool decays) const;
  bool decays(std::size_t parameter) const;
  void take_back_steps();

  OptimConfig config_;
  UpdateRule rule_;
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;
  std::vector<std::vector<at::Tensor>> moments_;  // [kind][parameter]
  // Updates done of each parameter are counted here, so that no step waits for a device. state()
  // lends the counts out as a tensor; until the next step that holds the truth.
  at::Tensor steps_;
  mutable at::Tensor lent_steps_;  // on the device
  mutable bool are_steps_lent_ = false;
};

}  // namespace lockstep
