// The order is torch's: unscale, clip, step, then the average.
#include "trainer/learner.h"

#include <cmath>

#include "trainer/optim/clip.h"
#include "trainer/speed/span.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

void append(NamedTensors& all, const NamedTensors& more, const std::string& suffix) {
  for (const auto& [name, tensor] : more) all.emplace_back(name + suffix, tensor);
}

}  // namespace

Learner::Learner(const torch::nn::Module& model, const Config& config, at::Device device)
    : config_(config.optim), optimizer_(model, config.optim), guard_(config.optim.skip_non_finite) {
  if (config.train.precision == "fp16") scaler_.emplace(device);
  if (config.optim.ema_decay > 0) average_.emplace(model, config.optim);
}

void Learner::backward(const at::Tensor& loss) const {
  const Span span("backward");
  (scaler_ ? scaler_->scaled(loss) : loss).backward();
}

void Learner::update(double rate, std::int64_t step) {
  const Span span("optimizer");
  norm_.reset();
  if (admits(step + 1)) {
    limit_gradients();
    optimizer_.step(rate);
  }
  if (scaler_) scaler_->update();
  if (average_) average_->update(step);
}

// Under fp16 a step without number is the scaler's way to find its scale, and no fault.
bool Learner::admits(std::int64_t step) {
  if (scaler_) return scaler_->unscale(optimizer_.parameters());
  if (config_.skip_non_finite == 0) return true;
  norm_ = lockstep::gradient_norm(optimizer_.parameters());
  return guard_.admits(std::isfinite(norm_.item<double>()), step);
}

void Learner::limit_gradients() {
  if (config_.clip_norm > 0) norm_ = clip_gradient_norm(optimizer_.parameters(), config_.clip_norm);
  if (config_.clip_value > 0) {
    norm_ = lockstep::gradient_norm(optimizer_.parameters());
    clip_gradient_values(optimizer_.parameters(), config_.clip_value);
  }
}

at::Tensor Learner::gradient_norm() const {
  return norm_.defined() ? norm_ : lockstep::gradient_norm(optimizer_.parameters());
}

NamedTensors Learner::state() const {
  NamedTensors all = optimizer_.state();
  if (scaler_) append(all, scaler_->state(), ".grad_scaler");
  if (average_) append(all, average_->state(), ".ema");
  return all;
}

void Learner::continue_after(int left_out_in_a_row) {
  guard_ = NonFiniteGuard(config_.skip_non_finite, left_out_in_a_row);
}

std::unique_ptr<Average::InModel> Learner::averaged() {
  return average_ ? std::make_unique<Average::InModel>(*average_) : nullptr;
}

}  // namespace lockstep
