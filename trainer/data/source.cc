// Looks files up, reads them, checks the labels; draws synthetic sets.
#include "trainer/data/source.h"

#include <algorithm>
#include <random>

#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSyntheticSide = 28;
constexpr unsigned kNoiseLevels = 160;  // of 256: the band of the class stands out, but not alone
constexpr std::uint8_t kBandBrightness = 96;

fs::path find_file(const std::string& section, const fs::path& directory, const std::string& name) {
  if (!fs::is_directory(directory)) {
    throw BadData(section + ".path is \"" + directory.string() +
                  "\", which is no directory here: name the one that holds " + name);
  }
  for (const char* ending : {"", ".gz"}) {
    const fs::path path = directory / (name + ending);
    if (fs::exists(path)) return path;
  }
  throw BadData(section + ".path \"" + directory.string() + "\" holds neither " + name + " nor " +
                name + ".gz");
}

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

IdxDataset load_source(const std::string& section, const SourceConfig& source, int num_classes,
                       std::uint64_t seed) {
  if (source.format == "synthetic") return synthetic_dataset(source.samples, num_classes, seed);
  const fs::path images = find_file(section, source.path, source.images);
  const fs::path labels = find_file(section, source.path, source.labels);
  IdxDataset set = read_idx_dataset(images, labels);
  const auto largest = std::max_element(set.labels.begin(), set.labels.end());
  if (largest == set.labels.end()) {
    throw BadData(section + ": " + source.labels + " holds no samples");
  }
  if (*largest >= num_classes) {
    throw BadData(section + ": " + source.labels + " holds label " + std::to_string(*largest) +
                  ", but model.num_classes is " + std::to_string(num_classes));
  }
  return set;
}

}  // namespace lockstep
