// A model of my own: a small network of two convolutions for pictures.
#include <torch/nn.h>

#include <charconv>
#include <stdexcept>

#include "trainer/model/plugin.h"

namespace {

class MyModel : public lockstep::Model {
 public:
  // What is registered is trained, saved and resumed, under the name given here.
  MyModel(const lockstep::DataShape& shape, int maps) {
    using Convolution = torch::nn::Conv2dOptions;
    first_ = register_module(
        "first", torch::nn::Conv2d(Convolution(shape.channels, maps, 3).stride(2).padding(1)));
    second_ = register_module(
        "second", torch::nn::Conv2d(Convolution(maps, 2 * maps, 3).stride(2).padding(1)));
    norm_ = register_module("norm", torch::nn::BatchNorm2d(2 * maps));
    head_ = register_module("head", torch::nn::Linear(2 * maps, shape.classes));
  }

  // From pictures [batch, channels, rows, columns] to a score for each class [batch, classes],
  // before softmax. For `lockstep-train export` to TorchScript, leave sizes to operations such as
  // flatten(1): a number that sizes() gave is the same for every batch once it is recorded.
  at::Tensor forward(const lockstep::Batch& batch) override {
    at::Tensor maps = first_->forward(batch.inputs).relu();
    maps = norm_->forward(second_->forward(maps)).relu();
    return head_->forward(at::adaptive_avg_pool2d(maps, {1, 1}).flatten(1));
  }

 private:
  torch::nn::Conv2d first_{nullptr}, second_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  torch::nn::Linear head_{nullptr};
};

// model.options is a text for this library alone: here the number of maps, as in "16".
std::shared_ptr<lockstep::Model> make(const lockstep::ModelRequest& request) {
  int maps = 16;
  const std::string& options = request.options;
  const char* end = options.data() + options.size();
  const auto [stop, error] = std::from_chars(options.data(), end, maps);
  if (!options.empty() && (error != std::errc() || stop != end || maps < 1 || maps > 1024)) {
    throw std::invalid_argument("model.options is \"" + options +
                                "\": write a number of maps, 1 to 1024");
  }
  return std::make_shared<MyModel>(request.shape, maps);
}

}  // namespace

// Or kTexts: batch.inputs are tokens [batch, length] and batch.lengths says how many are no
// padding. Or kWindows: tokens [batch, length], and a score for each token of the vocabulary at
// each place.
LOCKSTEP_MODEL(lockstep::SampleKind::kPictures, make)
