// torch's own two operators, and a floor.
#include "trainer/optim/grad_scaler.h"

#include "trainer/optim/clip.h"
#include "trainer/torch.h"

namespace lockstep {

GradScaler::GradScaler(at::Device device, const GradScaling& scaling)
    : scaling_(scaling),
      scale_(at::full({}, scaling.initial, at::dtype(at::kFloat).device(device))),
      growth_tracker_(at::zeros({}, at::dtype(at::kInt).device(device))),
      found_inf_(at::zeros({}, at::dtype(at::kFloat).device(device))) {}

at::Tensor GradScaler::scaled(const at::Tensor& loss) const { return loss * scale_; }

bool GradScaler::unscale(const std::vector<at::Tensor>& parameters) {
  const at::NoGradGuard no_grad;
  found_inf_.zero_();
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients_of(parameters), found_inf_, inverse);
  return found_inf_.item<float>() == 0;
}

void GradScaler::update() {
  const at::NoGradGuard no_grad;
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, scaling_.growth, scaling_.backoff,
                         scaling_.growth_interval);
  scale_.clamp_min_(scaling_.least);
}

std::vector<std::pair<std::string, at::Tensor>> GradScaler::state() const {
  return {{"scale", scale_}, {"growth_tracker", growth_tracker_}};
}

}  // namespace lockstep
