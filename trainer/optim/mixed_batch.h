// A batch in which each sample is mixed with a partner, targets too.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "trainer/optim/mix.h"

namespace lockstep {

struct MixedBatch {
  at::Tensor images;   // a new tensor, or the given one when nothing is mixed
  at::Tensor targets;  // float32 [samples, classes], rows of sum 1; or the given labels
};

// Mixes images [samples, channels, rows, columns] and labels [samples] of int64 below `classes` as
// `mix` says. The partner of sample i is sample n - 1 - i of the same rank. Both kinds of targets
// suit cross_entropy_loss, which also does label smoothing.
MixedBatch mixed(const at::Tensor& images, const at::Tensor& labels, std::int64_t classes,
                 const Mix& mix);

}  // namespace lockstep
