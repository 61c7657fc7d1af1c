// What a model is to the trainer. Also installed, for models of one's own: see plugin.h.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "trainer/batches/batch.h"

namespace lockstep {

// A module from samples to scores. Parameters and buffers are known by their dotted names, in order
// of registration.
class Model : public torch::nn::Module {
 public:
  // Scores before softmax: [batch, classes], or [batch, length, vocabulary] where each token's
  // successor is predicted. `batch.targets` is not looked at.
  virtual at::Tensor forward(const Batch& batch) = 0;
};

}  // namespace lockstep
