// Residual networks of 18 to 152 layers under torchvision's parameter names, so that weights
// trained there load here and the other way round. Source: He et al., arXiv 1512.03385; the stride
// stands in the 3 x 3 convolution of a bottleneck, as in torchvision. For small images: their CIFAR
// stem, a 3 x 3 convolution without pooling.
#include <array>
#include <map>

#include "trainer/model/registry.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

using torch::nn::BatchNorm2d;
using torch::nn::Conv2d;
using Convolution = torch::nn::Conv2dOptions;

struct Depth {
  std::array<int, 4> blocks;  // of each stage
  bool is_bottleneck;
};

const std::map<std::string, Depth> kDepths = {{"resnet18", {{2, 2, 2, 2}, false}},
                                              {"resnet34", {{3, 4, 6, 3}, false}},
                                              {"resnet50", {{3, 4, 6, 3}, true}},
                                              {"resnet101", {{3, 4, 23, 3}, true}},
                                              {"resnet152", {{3, 8, 36, 3}, true}}};
constexpr std::int64_t kStemMaps = 64;
constexpr std::int64_t kBottleneckExpansion = 4;

Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t kernel, std::int64_t stride) {
  return Conv2d(Convolution(from, to, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// relu(x + F(x)), where F is two 3 x 3 convolutions or, narrowed between two of 1 x 1, one.
class Block : public torch::nn::Module {
 public:
  Block(std::int64_t from, std::int64_t maps, std::int64_t stride, bool is_bottleneck) {
    const std::int64_t to = is_bottleneck ? maps * kBottleneckExpansion : maps;
    if (is_bottleneck) {
      add(convolution(from, maps, 1, 1), maps);
      add(convolution(maps, maps, 3, stride), maps);
      add(convolution(maps, to, 1, 1), to);
    } else {
      add(convolution(from, maps, 3, stride), maps);
      add(convolution(maps, maps, 3, 1), maps);
    }
    if (stride == 1 && from == to) return;
    downsample_->push_back(convolution(from, to, 1, stride));
    downsample_->push_back(BatchNorm2d(to));
    register_module("downsample", downsample_);
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor maps = input;
    for (std::size_t i = 0; i < convolutions_.size(); ++i) {
      if (i > 0) maps = maps.relu_();
      maps = norms_[i]->forward(convolutions_[i]->forward(maps));
    }
    return maps.add_(downsample_->is_empty() ? input : downsample_->forward(input)).relu_();
  }

 private:
  void add(const Conv2d& convolution, std::int64_t maps) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module("conv" + number, convolution));
    norms_.push_back(register_module("bn" + number, BatchNorm2d(maps)));
  }

  std::vector<Conv2d> convolutions_;
  std::vector<BatchNorm2d> norms_;
  torch::nn::Sequential downsample_;
};

class ResNet : public Model {
 public:
  ResNet(const Depth& depth, bool is_stem_small, const DataShape& shape)
      : is_stem_small_(is_stem_small) {
    conv1_ = register_module("conv1", is_stem_small ? convolution(shape.channels, kStemMaps, 3, 1)
                                                    : convolution(shape.channels, kStemMaps, 7, 2));
    bn1_ = register_module("bn1", BatchNorm2d(kStemMaps));
    std::int64_t maps = kStemMaps;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      maps = add_stage(stage, depth, maps);
    }
    fc_ = register_module("fc", torch::nn::Linear(maps, shape.classes));
    initialize();
  }

  at::Tensor forward(const Batch& batch) override {
    at::Tensor maps = bn1_->forward(conv1_->forward(batch.inputs)).relu_();
    if (!is_stem_small_)
      maps = at::max_pool2d(maps, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
    for (auto& stage : stages_) maps = stage->forward(maps);
    return fc_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
  }

 private:
  std::int64_t add_stage(std::size_t stage, const Depth& depth, std::int64_t from) {
    const std::int64_t maps = kStemMaps << stage;
    for (int block = 0; block < depth.blocks[stage]; ++block) {
      const std::int64_t stride = stage > 0 && block == 0 ? 2 : 1;
      stages_[stage]->push_back(Block(from, maps, stride, depth.is_bottleneck));
      from = depth.is_bottleneck ? maps * kBottleneckExpansion : maps;
    }
    register_module("layer" + std::to_string(stage + 1), stages_[stage]);
    return from;
  }

  // He et al., arXiv 1502.01852, by the width of the output.
  void initialize() {
    for (const auto& module : modules(/*include_self=*/false)) {
      if (const auto* convolution = module->as<Conv2d>()) {
        torch::nn::init::kaiming_normal_(convolution->weight, 0, torch::kFanOut, torch::kReLU);
      }
    }
  }

  bool is_stem_small_;
  Conv2d conv1_{nullptr};
  BatchNorm2d bn1_{nullptr};
  std::array<torch::nn::Sequential, 4> stages_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace

std::shared_ptr<Model> make_resnet(const ModelConfig& config, const DataShape& shape) {
  constexpr std::int64_t kSmallImage = 64;
  const bool is_small = config.stem == "auto" ? std::max(shape.rows, shape.columns) <= kSmallImage
                                              : config.stem == "small";
  return std::make_shared<ResNet>(kDepths.at(config.name), is_small, shape);
}

}  // namespace lockstep
