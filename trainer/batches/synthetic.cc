// Images drawn from a seed: for dry runs and tests.
#include <random>

#include "trainer/batches/source.h"

namespace lockstep {
namespace {

constexpr std::int64_t kSyntheticSide = 28;
constexpr unsigned kNoiseLevels = 160;  // of 256: the band of the class stands out, but not alone
constexpr std::uint8_t kBandBrightness = 96;

}  // namespace

IdxDataset synthetic_dataset(std::int64_t samples, int num_classes, std::uint64_t seed) {
  IdxDataset set;
  set.rows = set.columns = kSyntheticSide;
  std::mt19937_64 random(seed);
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    const auto label = static_cast<std::int64_t>(random() % static_cast<unsigned>(num_classes));
    set.labels.push_back(static_cast<std::uint8_t>(label));
    const std::int64_t band = label * kSyntheticSide / num_classes;
    for (std::int64_t row = 0; row < kSyntheticSide; ++row) {
      const std::uint8_t base = row == band ? kBandBrightness : 0;
      for (std::int64_t column = 0; column < kSyntheticSide; ++column) {
        set.images.push_back(static_cast<std::uint8_t>(base + random() % kNoiseLevels));
      }
    }
  }
  return set;
}

}  // namespace lockstep
