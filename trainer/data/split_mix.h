// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): what all
// randomness beside torch's own permutation is made of.
#pragma once

#include <cstdint>

namespace lockstep {

constexpr std::uint64_t kSplitMixGamma = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio, odd

// The number that the generator gives from this state, which then moves on by kSplitMixGamma.
constexpr std::uint64_t split_mix(std::uint64_t state) {
  std::uint64_t z = state + kSplitMixGamma;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

// From 0 to below 1 in steps of 2^-53.
constexpr double unit_of(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace lockstep
