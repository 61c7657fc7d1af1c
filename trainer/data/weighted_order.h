// Samples drawn with replacement: what torch.utils.data.WeightedRandomSampler(weights, N) means,
// over all ranks together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/sampler.h"

namespace lockstep {

// Weights under which each class is drawn equally often: 1 / the number of samples of its class.
std::vector<double> class_weights(std::span<const std::int32_t> classes);

// As many draws as there are weights; sample i comes at each with probability weight i / sum.
// `weights` are finite, not negative, and not all 0. Random even without data.shuffle.
std::vector<std::int64_t> weighted_order(const Sampling& sampling, std::span<const double> weights,
                                         std::int64_t epoch);

}  // namespace lockstep
