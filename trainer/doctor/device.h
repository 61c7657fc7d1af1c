// The devices of this rank.
#pragma once

#include <vector>

#include "trainer/config/config.h"
#include "trainer/doctor/finding.h"
#include "trainer/group/place.h"

namespace lockstep {

struct Devices {
  std::vector<Finding> findings;
  bool uses_nccl = false;  // the tensors of this rank will live on a CUDA device
};

// As a run would choose them under train.backend.
Devices look_at_devices(const Config& config, const Place& place);

// What the CUDA libraries and the driver tell of the device; in cuda.cc, and in no_cuda.cc for a
// build without, where it is empty.
std::vector<Finding> cuda_findings(int device);

}  // namespace lockstep
