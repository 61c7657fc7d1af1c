// What a model is to the trainer, and the registry of those that are built in.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "trainer/config/config.h"

namespace lockstep {

struct ImageShape {
  std::int64_t rows = 28;
  std::int64_t columns = 28;
};

// A module from images to class scores. Parameters and buffers are known by their dotted names,
// in order of registration.
class Model : public torch::nn::Module {
 public:
  // `images` [batch, 1, rows, columns] -> scores before softmax [batch, classes].
  virtual at::Tensor forward(const at::Tensor& images) = 0;
};

// A new model with random weights from `seed`: the same on every rank.
// Throws std::invalid_argument for an unknown name, naming the nearest known one, and for images
// too small for the model.
std::shared_ptr<Model> make_model(const ModelConfig& config, ImageShape shape, std::uint64_t seed);

// One factory a family, each in its own file.
std::shared_ptr<Model> make_mlp(const ModelConfig& config, ImageShape shape);
std::shared_ptr<Model> make_lenet(const ModelConfig& config, ImageShape shape);

}  // namespace lockstep
