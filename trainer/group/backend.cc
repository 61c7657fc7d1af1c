// Chooses the back end and joins the group.
#include "trainer/group/backend.h"

#include <torch/cuda.h>

#include <stdexcept>

#include "trainer/log_line.h"
#include "trainer/torch.h"

namespace lockstep {

Backend choose_backend(const std::string& wanted, const Machine& machine, const Place& place) {
  if (wanted == "gloo" || (wanted == "auto" && machine.cuda_devices == 0)) return Backend::kGloo;
  const std::string instead = "; write train.backend: gloo to train on the CPU";
  if (!machine.has_nccl) {
    throw std::invalid_argument(
        "train.backend is nccl but this program was built without CUDA: use the CUDA image (or the "
        "build preset cuda)" +
        instead);
  }
  if (machine.cuda_devices == 0) {
    throw std::invalid_argument("train.backend is nccl but this machine has no CUDA device" +
                                instead);
  }
  if (place.local_rank >= machine.cuda_devices) {
    throw std::invalid_argument("local rank " + std::to_string(place.local_rank) +
                                " has no CUDA device of its own: this machine has " +
                                std::to_string(machine.cuda_devices) +
                                "; start at most one process a device" + instead);
  }
  return Backend::kNccl;
}

bool any(Group& group, bool mine) {
  const at::Tensor votes = at::full({1}, mine ? 1 : 0, at::dtype(at::kInt).device(group.device()));
  group.all_reduce(votes);
  return votes.item<int>() > 0;
}

Machine this_machine() { return {static_cast<int>(torch::cuda::device_count()), kHasNccl}; }

at::Device device_of(const Place& place, const std::string& backend) {
  return choose_backend(backend, this_machine(), place) == Backend::kNccl
             ? at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(place.local_rank))
             : at::Device(at::kCPU);
}

std::unique_ptr<Group> join_group(const Place& place, const std::string& backend) {
  const Backend chosen = choose_backend(backend, this_machine(), place);
  const bool uses_nccl = chosen == Backend::kNccl;
  if (backend == "auto" && !uses_nccl && place.rank == 0) {
    log_line("no CUDA device: using gloo on CPU");
  }
  if (place.world_size == 1) {
    return make_single(uses_nccl ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU));
  }
  auto rendezvous = std::make_unique<Rendezvous>(place);
  if (const auto sentence = rendezvous->disagreement("back end", uses_nccl ? "nccl" : "gloo")) {
    throw std::invalid_argument(*sentence +
                                "; give every rank a CUDA device or write train.backend: gloo");
  }
  return uses_nccl ? make_nccl(std::move(rendezvous)) : make_gloo(std::move(rendezvous));
}

}  // namespace lockstep
