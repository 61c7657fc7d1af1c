// SplitMix64, chained.
#include "trainer/data/random_stream.h"

#include "trainer/data/split_mix.h"

namespace lockstep {
std::uint64_t stream_seed(std::uint64_t seed, std::int64_t epoch, Stream stream) {
  return split_mix(split_mix(split_mix(seed) + static_cast<std::uint64_t>(epoch)) +
                   static_cast<std::uint64_t>(stream));
}

double uniform(std::mt19937_64& engine) { return unit_of(engine()); }

}  // namespace lockstep
