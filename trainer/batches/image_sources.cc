// Images in memory: idx files and synthetic ones.
#include <algorithm>
#include <filesystem>

#include "trainer/batches/image_set.h"
#include "trainer/batches/sources.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

constexpr int kSyntheticClasses = 10;
// A synthetic val set is no copy of the train set.
constexpr std::uint64_t kValidationSeed = 0x76616c;

struct Section {
  std::string name;  // "data.train"
  const SourceConfig& source;
  std::uint64_t seed;
};

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

Images grey_images(const IdxDataset& set) {
  return {.channels = 1,
          .rows = set.rows,
          .columns = set.columns,
          .pixels = set.images,
          .labels = {set.labels.begin(), set.labels.end()},
          .identity = set.identity()};
}

Images read_images(const Section& section, const Config& config) {
  const SourceConfig& source = section.source;
  if (source.format == "synthetic") {
    const int classes = config.model.num_classes > 0 ? config.model.num_classes : kSyntheticClasses;
    return grey_images(synthetic_dataset(source.samples, classes, section.seed));
  }
  const fs::path images = find_file(section.name, source.path, source.images);
  return grey_images(read_idx_dataset(images, find_file(section.name, source.path, source.labels)));
}

std::int64_t largest_label(const Section& section, const Images& images) {
  const auto largest = std::ranges::max_element(images.labels);
  if (largest == images.labels.end()) throw BadData(section.name + " holds no samples");
  return *largest;
}

void require_below(std::int64_t classes, const Section& section, const Images& images) {
  const std::int64_t largest = largest_label(section, images);
  if (largest < classes) return;
  throw BadData(section.name + " holds label " + std::to_string(largest) + ", but there are " +
                std::to_string(classes) + " classes (model.num_classes)");
}

}  // namespace

Datasets open_images(const Config& config, at::Device device) {
  const Section train{"data.train", config.data.train, config.seed};
  const Section val{"data.val", config.data.val, config.seed ^ kValidationSeed};
  Images seen = read_images(train, config);
  Images held_out = read_images(val, config);
  const std::int64_t asked = config.model.num_classes;
  const std::int64_t classes = asked > 0 ? asked : largest_label(train, seen) + 1;
  require_below(classes, train, seen);
  const PixelScale scale{config.data.mean, config.data.std};
  Datasets data{std::make_unique<ImageSet>(std::move(seen), classes, scale, device), nullptr};
  require_below(classes, val, held_out);
  data.val = std::make_unique<ImageSet>(std::move(held_out), classes, scale, device);
  return data;
}

}  // namespace lockstep
