// Which back end carries the tensors, and the entry of each: one file a back end.
#pragma once

#include <memory>
#include <string>

#include "trainer/group/group.h"
#include "trainer/group/rendezvous.h"

namespace lockstep {

enum class Backend { kGloo, kNccl };

struct Machine {
  int cuda_devices = 0;
  bool has_nccl = false;  // this program was built with the NCCL back end
};

Machine this_machine();

// Throws std::invalid_argument when `wanted` is nccl and the machine or the build cannot.
Backend choose_backend(const std::string& wanted, const Machine& machine, const Place& place);

std::unique_ptr<Group> make_single(at::Device device);
std::unique_ptr<Group> make_gloo(std::unique_ptr<Rendezvous> rendezvous);

// In nccl.cc, and in no_nccl.cc for a build without CUDA, where nothing but kHasNccl is used.
extern const bool kHasNccl;
std::unique_ptr<Group> make_nccl(std::unique_ptr<Rendezvous> rendezvous);

}  // namespace lockstep
