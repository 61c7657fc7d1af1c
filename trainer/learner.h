// From gradients to new parameters: scaling, limits, the optimizer, the average of weights.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "trainer/config/config.h"
#include "trainer/optim/average.h"
#include "trainer/optim/grad_scaler.h"
#include "trainer/optim/non_finite.h"
#include "trainer/optim/optimizer.h"
#include "trainer/state/torch_tensors.h"

namespace lockstep {

// All ranks take the same decisions, since they look at gradients after these were averaged.
class Learner {
 public:
  // Learns the parameters of `model`, which it keeps alive.
  Learner(const torch::nn::Module& model, const Config& config, at::Device device);

  // The first that is learned; there is one.
  at::Tensor first_parameter() const { return optimizer_.parameters().front(); }

  // (all) Computes the gradients of `loss`, a scalar, and adds them to those that are there.
  void backward(const at::Tensor& loss) const;

  // Step number `step` (from 0) with the gradients that are there, which it may scale and limit.
  // With optim.skip_non_finite, or fp16, it waits for the device and leaves a step out whose
  // gradients are not finite. Throws Diverged after too many of these in a row.
  void update(double rate, std::int64_t step);

  // The norm of the last step's gradients before any limit, a scalar on the device.
  at::Tensor gradient_norm() const;

  // What a resumed training needs: tensors, into which one writes to restore them, and how many
  // steps without number were left out in a row.
  NamedTensors state() const;
  int left_out_in_a_row() const { return guard_.in_a_row(); }
  void continue_after(int left_out_in_a_row);

  // While it lives the model has the averaged weights, if there is an average.
  std::unique_ptr<Average::InModel> averaged();

 private:
  bool admits(std::int64_t step);
  void limit_gradients();

  OptimConfig config_;
  Optimizer optimizer_;
  std::optional<GradScaler> scaler_;
  std::optional<Average> average_;
  NonFiniteGuard guard_;
  at::Tensor norm_;  // of this step, where it was needed
};

}  // namespace lockstep
