// Multi-layer perceptron: linear layers with ReLU between them. Without batch norm, so that a step
// does not depend on how a batch is cut over ranks.
#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

class Mlp : public Model {
 public:
  Mlp(const ModelConfig& config, const DataShape& shape) {
    std::int64_t width = shape.channels * shape.rows * shape.columns;
    for (const int next : config.hidden) {
      layers_->push_back(torch::nn::Linear(width, next));
      layers_->push_back(torch::nn::ReLU());
      width = next;
    }
    layers_->push_back(torch::nn::Linear(width, shape.classes));
    register_module("layers", layers_);
  }

  at::Tensor forward(const Batch& batch) override {
    return layers_->forward(batch.inputs.flatten(1));
  }

 private:
  torch::nn::Sequential layers_;
};

}  // namespace

std::shared_ptr<Model> make_mlp(const ModelConfig& config, const DataShape& shape) {
  return std::make_shared<Mlp>(config, shape);
}

}  // namespace lockstep
