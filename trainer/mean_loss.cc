// Accumulates on the device, reduces when read.
#include "trainer/mean_loss.h"

#include <cmath>

#include "trainer/errors.h"
#include "trainer/torch.h"

namespace lockstep {

MeanLoss::MeanLoss(at::Device device, bool passes_over_non_finite)
    : sums_(at::zeros({2}, at::dtype(at::kDouble).device(device))),
      passes_over_non_finite_(passes_over_non_finite) {}

void MeanLoss::add(const at::Tensor& mean, std::int64_t samples) {
  const at::NoGradGuard no_grad;
  if (passes_over_non_finite_) {
    const at::Tensor counts = at::isfinite(mean);
    sums_[0].add_(at::where(counts, mean.detach(), 0), samples);
    sums_[1].add_(counts, samples);
  } else {
    sums_[0].add_(mean.detach(), samples);
    sums_[1].add_(samples);
  }
  is_empty_ = false;
}

double MeanLoss::take(Group& group, std::int64_t step) {
  group.all_reduce(sums_);
  const double samples = sums_[1].item<double>();
  const double mean = sums_[0].item<double>() / samples;
  sums_.zero_();
  is_empty_ = true;
  const bool is_passed_over = passes_over_non_finite_ && samples == 0;
  if (!std::isfinite(mean) && !is_passed_over) {
    throw Diverged("the loss is not finite at step " + std::to_string(step) +
                   ": lower optim.lr or lengthen schedule.warmup_steps, and begin in another "
                   "checkpoint.directory, since this one holds what diverged");
  }
  return mean;
}

}  // namespace lockstep
