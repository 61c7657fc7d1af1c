// A model whose options say how it misbehaves.
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/options/linear.h>

#include <stdexcept>

#include "trainer/model/plugin.h"

namespace {

class ByOptions : public lockstep::Model {
 public:
  explicit ByOptions(const lockstep::ModelRequest& request) : options_(request.options) {
    const lockstep::DataShape& shape = request.shape;
    head_ = register_module(
        "head", torch::nn::Linear(shape.channels * shape.rows * shape.columns, shape.classes));
    if (options_ == "frozen")
      head_->weight.requires_grad_(false), head_->bias.requires_grad_(false);
  }

  at::Tensor forward(const lockstep::Batch& batch) override {
    if (options_ == "forward throws") throw std::runtime_error("no picture is good enough");
    if (options_ == "fixed batch") {
      const auto size = batch.inputs.size(0);
      return head_->forward(batch.inputs.reshape({size, -1}));
    }
    const at::Tensor scores = head_->forward(batch.inputs.flatten(1));
    return options_ == "one class less" ? scores.slice(1, 1) : scores;
  }

 private:
  std::string options_;
  torch::nn::Linear head_{nullptr};
};

std::shared_ptr<lockstep::Model> make(const lockstep::ModelRequest& request) {
  if (request.options == "throws") throw std::runtime_error("no maps are left");
  if (request.options == "throws a number") throw 7;
  if (request.options == "null") return nullptr;
  return std::make_shared<ByOptions>(request);
}

}  // namespace

LOCKSTEP_MODEL(lockstep::SampleKind::kPictures, make)
