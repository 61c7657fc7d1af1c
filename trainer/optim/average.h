// An exponential moving average of a model's parameters, to evaluate and export with.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trainer/config/config.h"

namespace lockstep {

// average = decay * average + (1 - decay) * parameter, as torch.optim.swa_utils.AveragedModel with
// get_ema_multi_avg_fn(decay): the first update copies. Buffers are not averaged.
class Average {
 public:
  // Follows the parameters of `model`, which it keeps alive. Uses config.ema_decay; with
  // ema_warmup the decay of update n (0-based) is at most (1 + n) / (10 + n), as in TensorFlow.
  Average(const torch::nn::Module& model, const OptimConfig& config);

  // Call after each optimizer step; `updates` counts the calls before this one, since the start of
  // the training. That is all there is to count, so nothing but the tensors needs saving.
  void update(std::int64_t updates);

  // The averages under their parameters' names. Writing into these tensors restores a saved state.
  std::vector<std::pair<std::string, at::Tensor>> state() const;

  // While it lives, the model has the averaged parameters, in the same tensors. It then gets its
  // own back, bit for bit. No step, update or save of the average may fall in between.
  class InModel {
   public:
    explicit InModel(Average& average);
    ~InModel();
    InModel(const InModel&) = delete;
    InModel& operator=(const InModel&) = delete;

   private:
    Average& average_;
  };

 private:
  double decay_of(std::int64_t updates) const;
  void exchange();

  double decay_;
  bool has_warmup_;
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> averages_;
};

}  // namespace lockstep
