// Loss scaling for float16, in the arithmetic of torch.amp.GradScaler.
//   scaler.scaled(loss).backward();
//   const bool is_finite = scaler.unscale(parameters);
//   clip; if (is_finite) optimizer.step(lr);
//   scaler.update();
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {

struct GradScaling {
  double initial = 65536;
  double growth = 2;     // after `growth_interval` finite steps in a row
  double backoff = 0.5;  // after a step that was not finite
  std::int64_t growth_interval = 2000;
  double least = 1;  // the scale never falls below; torch has no such floor
};

// Every rank takes the same decisions: they look at gradients after their reduction alone.
class GradScaler {
 public:
  explicit GradScaler(at::Device device, const GradScaling& scaling = {});

  // loss * scale; call backward on it.
  at::Tensor scaled(const at::Tensor& loss) const;

  // Divides the gradients by the scale, in place. Returns whether all are finite: else leave the
  // step out. Waits for the device, as torch's does. Once per update().
  bool unscale(const std::vector<at::Tensor>& parameters);

  // Adapts the scale to what unscale() found.
  void update();

  // "scale" (float32) and "growth_tracker" (int32), scalars on the device. Writing into these
  // tensors restores a saved state.
  std::vector<std::pair<std::string, at::Tensor>> state() const;

 private:
  GradScaling scaling_;
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_inf_;  // float32 scalar, 0 or 1
};

}  // namespace lockstep
