// The random stream of one sample in one epoch, so that augmentation depends on nothing else.
#pragma once

#include <cstdint>

namespace lockstep {

// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014), started
// from a hash of (seed, epoch, index). Not from threads, ranks or world size: the sample looks the
// same wherever it is made, and after a resume. Every platform draws the same values.
class SampleRandom {
 public:
  SampleRandom(std::uint64_t seed, std::int64_t epoch, std::int64_t index);
  // The plain SplitMix64 sequence from this state.
  explicit SampleRandom(std::uint64_t state) : state_(state) {}

  std::uint64_t bits();                     // 64 random bits
  double unit();                            // a multiple of 2^-53 in [0, 1)
  double uniform(double low, double high);  // in [low, high], rounded once
  // A whole number in [0, bound), each exactly as likely. Throws invalid_argument when bound < 1.
  std::int64_t below(std::int64_t bound);
  bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

// Whether this sample is held out for validation: `fraction` of all, the same ones in every epoch
// and run of this seed. For sets that come without a split.
bool is_held_out(std::uint64_t seed, std::int64_t index, double fraction);

}  // namespace lockstep
