// SGD, Adam and AdamW as sequences of foreach operations; see update.h.
#include "trainer/optim/update.h"

#include <cmath>
#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {
namespace {

std::vector<at::Tensor> decayed(const Updated& updated) {
  if (updated.weight_decay == 0) return updated.gradients;
  return at::_foreach_add(updated.gradients, updated.parameters, updated.weight_decay);
}

// The first velocity is the gradient, undamped; without dampening that follows from zero.
void accelerate(const Updated& updated, const std::vector<at::Tensor>& gradients,
                const OptimConfig& config) {
  const std::vector<at::Tensor>& velocities = updated.moments.front();
  if (config.dampening == 0) {
    at::_foreach_mul_(velocities, config.momentum);
    at::_foreach_add_(velocities, gradients);
    return;
  }
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const double share = updated.steps[i] == 1 ? 1 : 1 - config.dampening;
    velocities[i].mul_(config.momentum).add_(gradients[i], share);
  }
}

void sgd(const Updated& updated, const OptimConfig& config, double lr) {
  std::vector<at::Tensor> directions = decayed(updated);
  if (config.momentum != 0) {
    accelerate(updated, directions, config);
    directions = config.nesterov
                     ? at::_foreach_add(directions, updated.moments.front(), config.momentum)
                     : updated.moments.front();
  }
  at::_foreach_add_(updated.parameters, directions, -lr);
}

// Adam's step from the gradients, its bias corrections per parameter.
void adapt(const Updated& updated, const std::vector<at::Tensor>& gradients,
           const OptimConfig& config, double lr) {
  const std::vector<at::Tensor>&means = updated.moments[0], &squares = updated.moments[1];
  at::_foreach_lerp_(means, gradients, 1 - config.beta1);
  at::_foreach_mul_(squares, config.beta2);
  at::_foreach_addcmul_(squares, gradients, gradients, 1 - config.beta2);
  std::vector<at::Scalar> rates, roots;
  for (const double step : updated.steps) {
    rates.emplace_back(-(lr / (1 - std::pow(config.beta1, step))));
    roots.emplace_back(std::pow(1 - std::pow(config.beta2, step), 0.5));
  }
  const std::vector<at::Tensor> scales = at::_foreach_sqrt(squares);
  at::_foreach_div_(scales, roots);
  at::_foreach_add_(scales, config.eps);
  at::_foreach_addcdiv_(updated.parameters, means, scales, rates);
}

void adam(const Updated& updated, const OptimConfig& config, double lr) {
  adapt(updated, decayed(updated), config, lr);
}

void adamw(const Updated& updated, const OptimConfig& config, double lr) {
  if (updated.weight_decay != 0) {
    at::_foreach_mul_(updated.parameters, 1 - lr * updated.weight_decay);
  }
  adapt(updated, updated.gradients, config, lr);
}

}  // namespace

UpdateRule update_rule(const OptimConfig& config) {
  const std::vector<std::string> adams = {"exp_avg", "exp_avg_sq"};
  if (config.name == "adam") return {adams, true, adam};
  if (config.name == "adamw") return {adams, true, adamw};
  if (config.name != "sgd") throw std::invalid_argument("no optimizer is named " + config.name);
  if (config.momentum == 0) return {{}, false, sgd};
  return {{"momentum_buffer"}, config.dampening != 0, sgd};
}

}  // namespace lockstep
