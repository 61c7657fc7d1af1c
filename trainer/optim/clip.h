// Limits on gradients, in the arithmetic of torch.nn.utils.clip_grad_*. Nothing waits for a device.
// Run between backward and the optimizer's step, after gradients are reduced over the ranks (and
// unscaled): then every rank clips alike. Parameters without a gradient are passed over.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace lockstep {

// The gradients that are there.
std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& parameters);

// The 2-norm over all gradients together: a scalar on their device; 0 when there is none. It is not
// finite when any element of a gradient is not.
at::Tensor gradient_norm(const std::vector<at::Tensor>& parameters);

// Scales all gradients so that their norm is at most `most`; returns the norm from before.
at::Tensor clip_gradient_norm(const std::vector<at::Tensor>& parameters, double most);

// Limits each element of the gradients to -most .. most.
void clip_gradient_values(const std::vector<at::Tensor>& parameters, double most);

}  // namespace lockstep
