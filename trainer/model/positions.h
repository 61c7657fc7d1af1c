// Numbers along a text, for models that can be traced.
#pragma once

#include <ATen/ops/cumsum.h>
#include <ATen/ops/ones_like.h>

namespace lockstep {

// int64 0, 1, 2, ... in each row of `texts`, [batch, length]. Unlike arange(texts.size(1)) this is
// an operation on `texts`, so a trace (trace.h) of it takes any length.
inline at::Tensor positions_in(const at::Tensor& texts) {
  return at::ones_like(texts, at::kLong).cumsum(1).sub(1);
}

}  // namespace lockstep
