// Moves a batch; lengths stay on the CPU, where they are read.
#include "trainer/batches/batch.h"

#include "trainer/torch.h"

namespace lockstep {

Batch moved_to(at::Device device, const Batch& batch) {
  return {batch.inputs.to(device, batch.inputs.scalar_type(), /*non_blocking=*/true),
          batch.targets.to(device, batch.targets.scalar_type(), /*non_blocking=*/true),
          batch.lengths};
}

}  // namespace lockstep
