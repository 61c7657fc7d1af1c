// What counts as an accelerator.
#include "operator/plan/platform.h"

namespace lockstep {

std::vector<std::string> Platform::default_accelerators() {
  return {"nvidia.com/gpu",        "nvidia.com/mig-*",   "amd.com/gpu",        "gpu.intel.com/i915",
          "gpu.intel.com/xe",      "habana.ai/gaudi",    "huawei.com/Ascend*", "google.com/tpu",
          "aws.amazon.com/neuron", "cambricon.com/mlu*", "metax-tech.com/gpu"};
}

}  // namespace lockstep
