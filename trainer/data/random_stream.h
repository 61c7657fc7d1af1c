// Randomness of an epoch beside the order of its samples: independent streams of one seed.
#pragma once

#include <cstdint>
#include <random>

namespace lockstep {

enum class Stream : std::uint64_t { kBatches = 1, kRepeats, kWeights };

// Another seed for each (seed, epoch, stream), well mixed; equal on every platform.
std::uint64_t stream_seed(std::uint64_t seed, std::int64_t epoch, Stream stream);

// From 0 to below 1 in steps of 2^-53; equal on every platform, unlike std's distributions.
double uniform(std::mt19937_64& engine);

}  // namespace lockstep
