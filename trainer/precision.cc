// LibTorch's autocast, as a scope.
#include "trainer/precision.h"

#include <ATen/autocast_mode.h>

#include "trainer/torch.h"

namespace lockstep {

Autocast::Autocast(at::Device device, const std::string& precision)
    : device_(device.type()), is_on_(precision != "fp32") {
  if (!is_on_) return;
  at::autocast::set_autocast_dtype(device_, precision == "fp16" ? at::kHalf : at::kBFloat16);
  at::autocast::set_autocast_enabled(device_, true);
}

// Weights that were cast once for all uses of the pass change with the next step.
Autocast::~Autocast() {
  if (!is_on_) return;
  at::autocast::set_autocast_enabled(device_, false);
  at::autocast::clear_cache();
}

}  // namespace lockstep
