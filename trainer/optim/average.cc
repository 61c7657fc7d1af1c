// One foreach operation per update; see average.h.
#include "trainer/optim/average.h"

#include <algorithm>

#include "trainer/torch.h"

namespace lockstep {

Average::Average(const torch::nn::Module& model, const OptimConfig& config)
    : decay_(config.ema_decay), has_warmup_(config.ema_warmup) {
  for (const auto& item : model.named_parameters()) {
    names_.push_back(item.key());
    parameters_.push_back(item.value().detach());
    averages_.push_back(item.value().detach().clone());
  }
}

void Average::update(std::int64_t updates) {
  const at::NoGradGuard no_grad;
  if (updates == 0) {
    at::_foreach_copy_(averages_, parameters_);
  } else {
    at::_foreach_lerp_(averages_, parameters_, 1 - decay_of(updates));
  }
}

double Average::decay_of(std::int64_t updates) const {
  const auto n = static_cast<double>(updates);
  return has_warmup_ ? std::min(decay_, (1 + n) / (10 + n)) : decay_;
}

std::vector<std::pair<std::string, at::Tensor>> Average::state() const {
  std::vector<std::pair<std::string, at::Tensor>> state;
  for (std::size_t i = 0; i < names_.size(); ++i) state.emplace_back(names_[i], averages_[i]);
  return state;
}

void Average::exchange() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const at::Tensor own = parameters_[i].clone();
    parameters_[i].copy_(averages_[i]);
    averages_[i].copy_(own);
  }
}

Average::InModel::InModel(Average& average) : average_(average) { average_.exchange(); }

Average::InModel::~InModel() { average_.exchange(); }

}  // namespace lockstep
