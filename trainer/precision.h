// The number types in which a model computes.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace lockstep {

// While it lives, and `precision` is bf16 or fp16, operators that gain from it compute in that type
// (torch.autocast): around the forward pass and the loss, not around the backward pass. With fp32
// nothing changes. Threads: that of its maker.
class Autocast {
 public:
  Autocast(at::Device device, const std::string& precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool is_on_;
};

}  // namespace lockstep
