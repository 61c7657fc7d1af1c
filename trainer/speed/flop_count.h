// Counts floating-point operations of a forward pass.
#pragma once

#include <ATen/record_function.h>

namespace lockstep {

// While it lives, adds to `*total` two operations for each multiplication and addition of what
// LibTorch computes on this thread: two-dimensional convolutions, products of matrices and scaled
// dot-product attention, as Python's torch.utils.flop_counter does. Everything else is counted as
// nothing, also what cuDNN computes as a whole, such as a GRU on a GPU. Attention counts as if no
// token were masked. One at a time on a thread.
class FlopCount {
 public:
  explicit FlopCount(double* total);  // outlives this
  ~FlopCount();
  FlopCount(const FlopCount&) = delete;
  FlopCount& operator=(const FlopCount&) = delete;

 private:
  at::CallbackHandle callback_;
};

}  // namespace lockstep
