// Asks the driver.
#include "trainer/speed/cuda_name.h"

#include <ATen/cuda/CUDAContextLight.h>

namespace lockstep {

std::string cuda_name(at::Device device) {
  return device.is_cuda() ? at::cuda::getDeviceProperties(device.index())->name : "";
}

}  // namespace lockstep
