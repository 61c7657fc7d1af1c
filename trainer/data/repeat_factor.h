// Samples of rare classes come several times an epoch: repeat factor sampling of the LVIS paper
// (Gupta, Dollar, Girshick, arXiv 1908.03195).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainer/data/sampler.h"

namespace lockstep {

// Of each sample, by its class c, which has the share f(c) of all samples:
// max(1, sqrt(threshold / f(c))). Classes are not negative.
std::vector<double> repeat_factors(std::span<const std::int32_t> classes, double threshold);

// How long repeated_order is: each sample at least floor(factor) times, and the fractions together,
// rounded down. The same each epoch.
std::int64_t repeated_size(std::span<const double> factors);

// Each sample floor(factor) or floor(factor) + 1 times, in proportion to the fraction: where, is
// drawn by systematic sampling over the order of the epoch, from a random start. Copies are spread
// over the epoch; without shuffle they follow each other in the order of the data set.
std::vector<std::int64_t> repeated_order(const Sampling& sampling, std::span<const double> factors,
                                         std::int64_t epoch);

}  // namespace lockstep
