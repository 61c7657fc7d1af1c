// The mean loss since the last time somebody looked.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/group/group.h"

namespace lockstep {

// Sums stay on the device until take() reads them, so a step waits for nothing.
class MeanLoss {
 public:
  // Losses that are no number may be passed over, when the steps that gave them are left out.
  explicit MeanLoss(at::Device device, bool passes_over_non_finite = false);

  // `mean` is a scalar tensor over `samples` samples of this rank.
  void add(const at::Tensor& mean, std::int64_t samples);

  // (all) The mean over all ranks since the last call. Throws Diverged when it is not finite. NaN
  // when every loss was passed over.
  double take(Group& group, std::int64_t step);

  bool is_empty() const { return is_empty_; }

 private:
  at::Tensor sums_;  // float64 [loss, samples]
  bool passes_over_non_finite_;
  bool is_empty_ = true;
};

}  // namespace lockstep
