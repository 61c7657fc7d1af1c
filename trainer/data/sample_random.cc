// SplitMix64 and what is drawn from it.
#include "trainer/data/sample_random.h"

#include <cmath>
#include <stdexcept>

namespace lockstep {
namespace {

constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio, odd
constexpr std::int64_t kSplitEpoch = -1;              // no epoch that is trained

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

SampleRandom::SampleRandom(std::uint64_t seed, std::int64_t epoch, std::int64_t index)
    : state_(seed) {
  state_ = bits() + static_cast<std::uint64_t>(epoch);
  state_ = bits() + static_cast<std::uint64_t>(index);
  state_ = bits();
}

std::uint64_t SampleRandom::bits() { return mixed(state_ += kGamma); }

double SampleRandom::unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

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
