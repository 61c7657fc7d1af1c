// Multi-layer perceptron: linear layers with ReLU between them. Without batch norm, so that a step
// does not depend on how a batch is cut over ranks.
#include "trainer/model/model.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

class Mlp : public Model {
 public:
  Mlp(const ModelConfig& config, ImageShape shape) {
    std::int64_t width = shape.rows * shape.columns;
    for (const int next : config.hidden) {
      layers_->push_back(torch::nn::Linear(width, next));
      layers_->push_back(torch::nn::ReLU());
      width = next;
    }
    layers_->push_back(torch::nn::Linear(width, config.num_classes));
    register_module("layers", layers_);
  }

  at::Tensor forward(const at::Tensor& images) override {
    return layers_->forward(images.flatten(1));
  }

 private:
  torch::nn::Sequential layers_;
};

}  // namespace

std::shared_ptr<Model> make_mlp(const ModelConfig& config, ImageShape shape) {
  return std::make_shared<Mlp>(config, shape);
}

}  // namespace lockstep
