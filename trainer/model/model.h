// What a model is to the trainer, and the registry of those that are built in.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "trainer/batches/batch.h"
#include "trainer/config/config.h"

namespace lockstep {

// A module from samples to scores. Parameters and buffers are known by their dotted names, in order
// of registration.
class Model : public torch::nn::Module {
 public:
  // Scores before softmax: [batch, classes], or [batch, length, vocabulary] where each token's
  // successor is predicted. `batch.targets` is not looked at.
  virtual at::Tensor forward(const Batch& batch) = 0;
};

// A new model with random weights from `seed`: the same on every rank.
// Throws std::invalid_argument for an unknown name, naming the nearest known one, and for data that
// the model cannot take.
std::shared_ptr<Model> make_model(const ModelConfig& config, const DataShape& shape,
                                  std::uint64_t seed);

// One factory a family, each in its own file.
std::shared_ptr<Model> make_mlp(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_lenet(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_resnet(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_char_gpt(const ModelConfig& config, const DataShape& shape);
std::shared_ptr<Model> make_text_classifier(const ModelConfig& config, const DataShape& shape);

}  // namespace lockstep
