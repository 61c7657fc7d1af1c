// Chooses a back end as a run does; see device.h.
#include "trainer/doctor/device.h"

#include <stdexcept>

#include "trainer/contract.h"
#include "trainer/group/backend.h"

namespace lockstep {

Devices look_at_devices(const Config& config, const Place& place) {
  const std::string check = "device";
  Devices devices;
  const Machine machine = this_machine();
  try {
    devices.uses_nccl = choose_backend(config.train.backend, machine, place) == Backend::kNccl;
  } catch (const std::invalid_argument& error) {
    devices.findings.push_back(bad(check, error.what(),
                                   "Change train.backend, the image or the machine as it says.",
                                   contract::kExitUsage));
    return devices;
  }
  if (devices.uses_nccl) {
    devices.findings = cuda_findings(place.local_rank);
  } else if (machine.cuda_devices > 0) {
    devices.findings.push_back(
        warning(check,
                "the CPU, although this machine has " + std::to_string(machine.cuda_devices) +
                    " CUDA devices: train.backend is " + config.train.backend,
                "Write train.backend: auto to train on them."));
  } else {
    const std::string why = machine.has_nccl ? "no CUDA device is visible" : "built without CUDA";
    devices.findings.push_back(ok(check, "the CPU, with Gloo between ranks; " + why));
  }
  return devices;
}

}  // namespace lockstep
