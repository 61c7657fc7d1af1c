// The finalizer of SplitMix64 (Steele, Lea, Flood 2014), chained.
#include "trainer/data/random_stream.h"

namespace lockstep {
namespace {

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

std::uint64_t stream_seed(std::uint64_t seed, std::int64_t epoch, Stream stream) {
  return mixed(mixed(mixed(seed) + static_cast<std::uint64_t>(epoch)) +
               static_cast<std::uint64_t>(stream));
}

double uniform(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1p-53; }

}  // namespace lockstep
