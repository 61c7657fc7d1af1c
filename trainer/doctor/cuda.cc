// Device, driver, CUDA runtime and NCCL of a build with CUDA.
#include <ATen/cuda/CUDAContext.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <nccl.h>

#include <exception>
#include <fstream>
#include <sstream>

#include "trainer/contract.h"
#include "trainer/doctor/device.h"
#include "trainer/group/nccl_interface.h"

namespace lockstep {
namespace {

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun ...": the first word that begins
// with a digit. Empty without the file.
std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.front() >= '0' && word.front() <= '9') return word;
  }
  return "of unknown version";
}

Finding check_device(int device) {
  const cudaDeviceProp& is = *at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device));
  const long runtime = at::detail::getCUDAHooks().versionCUDART();  // 13020 is 13.2
  return ok("device", std::to_string(device) + " " + is.name + " (" + size_text(is.totalGlobalMem) +
                          "), driver " + driver_version() + ", CUDA runtime " +
                          std::to_string(runtime / 1000) + "." +
                          std::to_string(runtime % 1000 / 10));
}

Finding check_nccl() {
  int version = 0;  // 23007 is 2.30.7
  if (const ncclResult_t result = ncclGetVersion(&version); result != ncclSuccess) {
    return bad("NCCL", ncclGetErrorString(result), "Use the CUDA image, which has NCCL.",
               contract::kExitInternal);
  }
  const std::string interface = is_nccl_interface_chosen() ? "interface as NCCL_SOCKET_IFNAME says"
                                                           : "interface that leads to rank 0";
  return ok("NCCL", std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
                        "." + std::to_string(version % 100) + ", " + interface);
}

}  // namespace

std::vector<Finding> cuda_findings(int device) {
  try {
    return {check_device(device), check_nccl()};
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return {bad("device", text.substr(0, text.find('\n')),
                "Install a driver that is at least as new as this CUDA runtime needs, and look at "
                "the device with nvidia-smi.",
                contract::kExitInternal)};
  }
}

}  // namespace lockstep
