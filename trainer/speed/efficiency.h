// The share of its devices' peak that a training reaches (MFU), and the memory that it needs.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "trainer/config/config.h"
#include "trainer/speed/flop_count.h"
#include "trainer/status/status.h"

namespace lockstep {

// A sample costs what it costs in the first batch, where operators are counted once; a step costs
// three times its forward pass, since the backward pass has two products for each one of the
// forward pass (Chowdhery et al., arXiv 2204.02311, appendix B). What is computed again, or for
// padding, counts like the rest.
class Efficiency {
 public:
  // `ranks` of them, each with a device like this one.
  Efficiency(const Config& config, at::Device device, int ranks);

  // To be kept during the forward pass of a batch of `samples`. Counts the first; empty later.
  std::optional<FlopCount> count_once(std::int64_t samples);

  // With memory, and with MFU where the speed and the device's peak are known.
  Figures completed(Figures figures) const;

  // Of one sample's forward pass; empty before the first.
  std::optional<double> flops_per_sample() const;

 private:
  at::Device device_;
  std::optional<double> peak_;  // operations a second of all devices together
  std::int64_t samples_ = 0;    // that were counted
  double flops_ = 0;            // of their forward pass
};

}  // namespace lockstep
