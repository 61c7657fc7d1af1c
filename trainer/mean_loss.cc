// Accumulates on the device, reduces when read.
#include "trainer/mean_loss.h"

#include <cmath>

#include "trainer/errors.h"
#include "trainer/torch.h"

namespace lockstep {

MeanLoss::MeanLoss(at::Device device)
    : sums_(at::zeros({2}, at::dtype(at::kDouble).device(device))) {}

void MeanLoss::add(const at::Tensor& mean, std::int64_t samples) {
  const at::NoGradGuard no_grad;
  sums_[0].add_(mean.detach(), samples);
  sums_[1].add_(samples);
  is_empty_ = false;
}

double MeanLoss::take(Group& group, std::int64_t step) {
  group.all_reduce(sums_);
  const double mean = sums_[0].item<double>() / sums_[1].item<double>();
  sums_.zero_();
  is_empty_ = true;
  if (!std::isfinite(mean)) {
    throw Diverged("the loss is not finite at step " + std::to_string(step) +
                   ": lower optim.lr or lengthen schedule.warmup_steps");
  }
  return mean;
}

}  // namespace lockstep
