// Moves a batch; lengths stay on the CPU, where they are read.
#include "trainer/batches/batch.h"

#include "trainer/torch.h"

namespace lockstep {

Batch moved_to(at::Device device, const Batch& batch) {
  const auto moved = [&](const at::Tensor& tensor) {
    return tensor.to(device, tensor.scalar_type(), /*non_blocking=*/true);
  };
  return {moved(batch.inputs), moved(batch.targets), batch.lengths, batch.ignored};
}

}  // namespace lockstep
