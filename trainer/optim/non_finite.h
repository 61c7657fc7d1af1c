// What to do about a loss or gradient that is no number: leave some steps out, then give up. Pure.
#pragma once

#include <cstdint>

namespace lockstep {

// Every rank must feed it the same: the loss over all ranks, or the norm of reduced gradients.
class NonFiniteGuard {
 public:
  // Puts up with `most` such steps in a row (optim.skip_non_finite). `in_a_row` restores.
  explicit NonFiniteGuard(int most, int in_a_row = 0) : most_(most), in_a_row_(in_a_row) {}

  // Whether to take step number `step` (from 1). Throws Diverged (exit code 71) when it is one more
  // without number than was to be put up with.
  bool admits(bool is_finite, std::int64_t step);

  int in_a_row() const { return in_a_row_; }  // left out since the last step taken

 private:
  int most_;
  int in_a_row_;
};

}  // namespace lockstep
