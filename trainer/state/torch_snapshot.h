// The values that tensors had at one moment, in host memory of their own.
#pragma once

#include <ATen/core/Tensor.h>

#include "trainer/state/torch_tensors.h"

namespace lockstep {

class Snapshot {
 public:
  // Copies `tensors`, which may change from then on: row-major, on the host. What it returns shares
  // the snapshot's memory and so holds until the next call, which allocates none while shapes and
  // types stay: fresh memory would cost more than the copy.
  NamedTensors take(const NamedTensors& tensors);

 private:
  NamedTensors copies_;
};

}  // namespace lockstep
