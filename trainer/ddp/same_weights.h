// The guard against ranks that drift apart without a word: a flipped bit, a faulty link, a race.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "trainer/group/group.h"

namespace lockstep {

// (all) Compares sums over the bits of each parameter with those of rank 0; waits for the device.
// Throws std::runtime_error, on every rank, that names a rank and a parameter in which it differs.
void require_same_weights(const torch::nn::Module& model, Group& group, std::int64_t step);

}  // namespace lockstep
