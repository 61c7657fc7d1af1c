// SplitMix64 and what is drawn from it.
#include "trainer/data/sample_random.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include "trainer/data/split_mix.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSplitEpoch = -1;  // no epoch that is trained

}  // namespace

SampleRandom::SampleRandom(std::uint64_t seed, std::int64_t epoch, std::int64_t index)
    : state_(seed) {
  state_ = bits() + static_cast<std::uint64_t>(epoch);
  state_ = bits() + static_cast<std::uint64_t>(index);
  state_ = bits();
}

std::uint64_t SampleRandom::bits() {
  return split_mix(std::exchange(state_, state_ + kSplitMixGamma));
}

double SampleRandom::unit() { return unit_of(bits()); }

// fma, since compilers fuse a product and a sum on some platforms only.
double SampleRandom::uniform(double low, double high) { return std::fma(high - low, unit(), low); }

std::int64_t SampleRandom::below(std::int64_t bound) {
  if (bound < 1) throw std::invalid_argument("a random number below a bound needs a bound above 0");
  const auto size = static_cast<std::uint64_t>(bound);
  const std::uint64_t uneven = (0 - size) % size;  // 2^64 % size: as many values would be likelier
  std::uint64_t drawn = bits();
  while (drawn < uneven) drawn = bits();
  return static_cast<std::int64_t>(drawn % size);
}

bool is_held_out(std::uint64_t seed, std::int64_t index, double fraction) {
  return SampleRandom(seed, kSplitEpoch, index).chance(fraction);
}

}  // namespace lockstep
