// The NCCL back end: tensors on one CUDA device a process; Gloo carries what stays on the CPU.
#include <c10/cuda/CUDAFunctions.h>

#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "trainer/group/backend.h"
#include "trainer/group/c10d_group.h"
#include "trainer/group/nccl_interface.h"

namespace lockstep {

const bool kHasNccl = true;

std::unique_ptr<Group> make_nccl(std::unique_ptr<Rendezvous> rendezvous) {
  const Place& place = rendezvous->place();
  const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(place.local_rank));
  c10::cuda::set_device(device.index());  // before NCCL, or every context lands on device 0
  choose_nccl_interface(place.master_address, rendezvous->own_address());

  auto process_group = make_process_group(*rendezvous);
  process_group->setBackend(at::kCPU, c10d::ProcessGroup::BackendType::GLOO,
                            open_gloo(*rendezvous, "gloo"));
  process_group->setBackend(at::kCUDA, c10d::ProcessGroup::BackendType::NCCL,
                            c10::make_intrusive<c10d::ProcessGroupNCCL>(
                                rendezvous->store("nccl"), place.rank, place.world_size));
  process_group->setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
  return std::make_unique<C10dGroup>(std::move(rendezvous), device, std::move(process_group));
}

}  // namespace lockstep
