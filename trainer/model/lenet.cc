// LeNet-5 with ReLU, max pooling and batch norm after each convolution.
// Source: LeCun et al., "Gradient-Based Learning Applied to Document Recognition", 1998; batch norm
// by Ioffe and Szegedy, arXiv 1502.03167.
#include <stdexcept>

#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::int64_t kFirstMaps = 6;
constexpr std::int64_t kSecondMaps = 16;
constexpr std::int64_t kKernel = 5;
constexpr std::int64_t kFirstWidth = 120;
constexpr std::int64_t kSecondWidth = 84;

// One side of an image after conv1 (padded: same size), pool, conv2 (unpadded), pool.
std::int64_t side_after_convolutions(std::int64_t side) { return (side / 2 - (kKernel - 1)) / 2; }

class LeNet : public Model {
 public:
  LeNet(const ModelConfig& config, const DataShape& shape) : batch_norm_(config.batch_norm) {
    const std::int64_t area =
        side_after_convolutions(shape.rows) * side_after_convolutions(shape.columns);
    using Conv = torch::nn::Conv2dOptions;
    conv1_ = register_module(
        "conv1", torch::nn::Conv2d(Conv(shape.channels, kFirstMaps, kKernel).padding(kKernel / 2)));
    conv2_ = register_module("conv2", torch::nn::Conv2d(Conv(kFirstMaps, kSecondMaps, kKernel)));
    fc1_ = register_module("fc1", torch::nn::Linear(kSecondMaps * area, kFirstWidth));
    fc2_ = register_module("fc2", torch::nn::Linear(kFirstWidth, kSecondWidth));
    fc3_ = register_module("fc3", torch::nn::Linear(kSecondWidth, shape.classes));
    if (batch_norm_) {
      norm1_ = register_module("norm1", torch::nn::BatchNorm2d(kFirstMaps));
      norm2_ = register_module("norm2", torch::nn::BatchNorm2d(kSecondMaps));
    }
  }

  at::Tensor forward(const Batch& batch) override {
    at::Tensor maps = conv1_->forward(batch.inputs);
    if (batch_norm_) maps = norm1_->forward(maps);
    maps = at::max_pool2d(maps.relu(), 2);
    maps = conv2_->forward(maps);
    if (batch_norm_) maps = norm2_->forward(maps);
    const at::Tensor features = at::max_pool2d(maps.relu(), 2).flatten(1);
    return fc3_->forward(fc2_->forward(fc1_->forward(features).relu()).relu());
  }

 private:
  bool batch_norm_;
  torch::nn::Conv2d conv1_{nullptr}, conv2_{nullptr};
  torch::nn::BatchNorm2d norm1_{nullptr}, norm2_{nullptr};
  torch::nn::Linear fc1_{nullptr}, fc2_{nullptr}, fc3_{nullptr};
};

}  // namespace

std::shared_ptr<Model> make_lenet(const ModelConfig& config, const DataShape& shape) {
  constexpr std::int64_t kSmallest = 12;
  if (shape.rows < kSmallest || shape.columns < kSmallest) {
    throw std::invalid_argument("model lenet needs images of at least 12 x 12 pixels, got " +
                                std::to_string(shape.rows) + " x " + std::to_string(shape.columns) +
                                ": use model mlp");
  }
  return std::make_shared<LeNet>(config, shape);
}

}  // namespace lockstep
