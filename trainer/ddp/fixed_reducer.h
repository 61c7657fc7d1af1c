// c10d::Reducer whose buckets stay as they were given.
#pragma once

#include "trainer/torch.h"

namespace lockstep {

class FixedReducer : public c10d::Reducer {
 public:
  using Reducer::Reducer;

  // A reducer that may still rebuild its buckets notes the order of gradients at each step, for
  // ever: memory would grow with the number of steps.
  void keep_layout() { has_rebuilt_bucket_ = true; }
};

}  // namespace lockstep
