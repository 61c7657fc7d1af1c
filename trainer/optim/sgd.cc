// SGD in one fused kernel over all parameters.
#include "trainer/optim/sgd.h"

#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {

Sgd::Sgd(const torch::nn::Module& model, const OptimConfig& config) : config_(config) {
  for (const auto& item : model.named_parameters()) {
    names_.push_back(item.key());
    parameters_.push_back(item.value());
    if (config.momentum != 0) velocities_.push_back(at::zeros_like(item.value()));
  }
}

void Sgd::step(double lr) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> gradients;
  gradients.reserve(parameters_.size());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    gradients.push_back(parameters_[i].grad());
    if (!gradients.back().defined()) throw std::logic_error("no gradient for " + names_[i]);
  }
  // From zero, the first step's velocity is the gradient itself: no first-step case is needed.
  at::_fused_sgd_(parameters_, gradients, velocities_, config_.weight_decay, config_.momentum, lr,
                  /*dampening=*/0.0, config_.nesterov, /*maximize=*/false,
                  /*is_first_step=*/false);
}

std::vector<std::pair<std::string, at::Tensor>> Sgd::state() const {
  std::vector<std::pair<std::string, at::Tensor>> state;
  for (std::size_t i = 0; i < velocities_.size(); ++i) {
    state.emplace_back(names_[i] + ".momentum_buffer", velocities_[i]);
  }
  return state;
}

}  // namespace lockstep
