// Collects what a step needs and keeps its state; the arithmetic is in update.cc.
#include "trainer/optim/optimizer.h"

#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {

Optimizer::Optimizer(const torch::nn::Module& model, const OptimConfig& config)
    : config_(config), rule_(update_rule(config)), moments_(rule_.moments.size()) {
  for (const auto& item : model.named_parameters()) {
    if (!item.value().requires_grad()) continue;
    names_.push_back(item.key());
    parameters_.push_back(item.value());
    for (auto& moment : moments_) {
      moment.push_back(at::zeros_like(item.value(), {}, at::MemoryFormat::Preserve));
    }
  }
  if (parameters_.empty()) throw std::invalid_argument("the model has no parameter to optimize");
  steps_ = at::zeros({static_cast<std::int64_t>(parameters_.size())}, at::kFloat);
  lent_steps_ = steps_.to(parameters_.front().device(), at::kFloat, false, /*copy=*/true);
}

void Optimizer::step(double lr) {
  const at::NoGradGuard no_grad;
  take_back_steps();
  bool has_stepped = false;
  float* const steps = steps_.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].grad().defined()) steps[i] += 1;
  }
  for (const bool decaying : {true, false}) {
    const Updated updated = with_gradients(decaying);
    if (updated.parameters.empty()) continue;
    rule_.update(updated, config_, lr);
    has_stepped = true;
  }
  if (!has_stepped) throw std::logic_error("no parameter has a gradient: run backward first");
}

Updated Optimizer::with_gradients(bool decaying) const {
  Updated updated;
  updated.weight_decay = decaying ? config_.weight_decay : 0;
  updated.moments.resize(moments_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (decays(i) != decaying || !parameters_[i].grad().defined()) continue;
    updated.parameters.push_back(parameters_[i]);
    updated.gradients.push_back(parameters_[i].grad());
    updated.steps.push_back(steps_.const_data_ptr<float>()[i]);
    for (std::size_t kind = 0; kind < moments_.size(); ++kind) {
      updated.moments[kind].push_back(moments_[kind][i]);
    }
  }
  return updated;
}

bool Optimizer::decays(std::size_t parameter) const {
  return config_.decay_norm_and_bias || parameters_[parameter].dim() > 1;
}

void Optimizer::take_back_steps() {
  if (!are_steps_lent_) return;
  steps_.copy_(lent_steps_);
  are_steps_lent_ = false;
}

std::vector<std::pair<std::string, at::Tensor>> Optimizer::state() const {
  const at::NoGradGuard no_grad;
  if (!are_steps_lent_) lent_steps_.copy_(steps_);
  are_steps_lent_ = true;
  std::vector<std::pair<std::string, at::Tensor>> state;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    for (std::size_t kind = 0; kind < moments_.size(); ++kind) {
      state.emplace_back(names_[i] + "." + rule_.moments[kind], moments_[kind][i]);
    }
    if (rule_.counts_steps) {
      state.emplace_back(names_[i] + ".step", lent_steps_[static_cast<std::int64_t>(i)]);
    }
  }
  return state;
}

}  // namespace lockstep
