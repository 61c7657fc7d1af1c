// Counts; see non_finite.h.
#include "trainer/optim/non_finite.h"

#include <string>

#include "trainer/errors.h"

namespace lockstep {

bool NonFiniteGuard::admits(bool is_finite, std::int64_t step) {
  if (is_finite) {
    in_a_row_ = 0;
    return true;
  }
  if (++in_a_row_ <= most_) return false;
  const std::string before = most_ == 0   ? ""
                             : most_ == 1 ? ", nor at the one before"
                                          : ", nor at the " + std::to_string(most_) + " before";
  throw Diverged("the loss or a gradient is not finite at step " + std::to_string(step) + before +
                 ": lower optim.lr, lengthen the warm-up, or set optim.clip_norm");
}

}  // namespace lockstep
