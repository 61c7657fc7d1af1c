// One batch of noise, of which every batch is a view.
#include "trainer/batches/made_up.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::int64_t kMostBytes = 256 << 20;  // of the noise
constexpr std::int64_t kBatches = 64;           // of an epoch

std::int64_t classes_of(const Config& config, std::int64_t usual) {
  return config.model.num_classes > 0 ? config.model.num_classes : usual;
}

DataShape pictures(const Config& config, std::int64_t channels, std::int64_t side,
                   std::int64_t classes) {
  return {
      .channels = channels, .rows = side, .columns = side, .classes = classes_of(config, classes)};
}

std::int64_t vocabulary_of(const DataConfig& data) {
  constexpr int kBytes = 256;
  return data.unit == "word" ? data.vocabulary : std::min(data.vocabulary, kBytes);
}

DataShape windows(const DataConfig& data, std::int64_t vocabulary) {
  return {.kind = SampleKind::kWindows,
          .columns = data.context,
          .vocabulary = vocabulary,
          .classes = vocabulary};
}

DataShape shape_of(const Config& config) {
  const DataConfig& data = config.data;
  const std::string& format = data.train.format;
  if (format == "idx" || format == "synthetic") return pictures(config, 1, 28, 10);
  if (format == "cifar10") return pictures(config, 3, data.image_size, 10);
  if (format == "cifar100") return pictures(config, 3, data.image_size, 100);
  if (format == "folder") return pictures(config, 3, data.image_size, 1000);
  if (format == "text") return windows(data, vocabulary_of(data));
  if (format == "tokens16" || format == "tokens32") return windows(data, data.vocabulary);
  if (format == "records" || format == "lines") {
    return {.kind = SampleKind::kTexts, .vocabulary = vocabulary_of(data), .classes = 10};
  }
  throw std::invalid_argument("no data can be made up for data.train.format " + format +
                              ", whose columns only the file tells: use --data");
}

class MadeUp : public Dataset {
 public:
  MadeUp(const Config& config, at::Device device) : shape_(shape_of(config)) {
    facts_.size = kBatches * config.train.batch_size;
    std::mt19937_64 random(config.seed);
    for (std::int64_t sample = 0; sample < facts_.size; ++sample) {
      facts_.classes.push_back(static_cast<std::int32_t>(sample % shape_.classes));
      if (shape_.kind != SampleKind::kTexts) continue;
      facts_.lengths.push_back(1 + static_cast<std::int32_t>(
                                       random() % static_cast<std::uint64_t>(config.data.longest)));
    }
    torch::manual_seed(config.seed);
    const std::int64_t samples =
        std::clamp<std::int64_t>(kMostBytes / bytes_of_sample(config), 1, config.train.batch_size);
    inputs_ = noise(samples, config).to(device);
    targets_ = targets(samples).to(device);
  }

  DataShape shape() const override { return shape_; }
  const SampleFacts& facts() const override { return facts_; }
  std::uint32_t identity() const override { return 0; }
  bool is_quick() const override { return true; }

  Batch batch(std::span<const std::int64_t> indices,
              const std::optional<Variation>&) const override {
    const std::int64_t count = std::ssize(indices);
    Batch batch{first_of(inputs_, count), first_of(targets_, count), {}};
    if (shape_.kind != SampleKind::kTexts) return batch;
    batch.lengths = at::empty({count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i) {
      batch.lengths[i] =
          facts_.lengths[static_cast<std::size_t>(indices[static_cast<std::size_t>(i)])];
    }
    batch.inputs = batch.inputs.narrow(1, 0, batch.lengths.max().item<std::int64_t>());
    return batch;
  }

 private:
  static at::Tensor first_of(const at::Tensor& all, std::int64_t count) {
    if (count <= all.size(0)) return all.narrow(0, 0, count);
    return all.index_select(
        0, at::arange(count, all.options().dtype(at::kLong)).remainder(all.size(0)));
  }

  std::int64_t bytes_of_sample(const Config& config) const {
    if (shape_.kind == SampleKind::kPictures)
      return 4 * shape_.channels * shape_.rows * shape_.columns;
    return 8 * length(config);
  }

  std::int64_t length(const Config& config) const {
    return shape_.kind == SampleKind::kTexts ? config.data.longest : shape_.columns;
  }

  at::Tensor noise(std::int64_t samples, const Config& config) const {
    if (shape_.kind == SampleKind::kPictures) {
      return at::randn({samples, shape_.channels, shape_.rows, shape_.columns});
    }
    return at::randint(shape_.vocabulary, {samples, length(config)}, at::kLong);
  }

  at::Tensor targets(std::int64_t samples) const {
    if (shape_.kind == SampleKind::kWindows) {
      return at::randint(shape_.classes, {samples, shape_.columns}, at::kLong);
    }
    return at::randint(shape_.classes, {samples}, at::kLong);
  }

  DataShape shape_;
  SampleFacts facts_;
  at::Tensor inputs_, targets_;
};

}  // namespace

Datasets made_up_data(const Config& config, at::Device device) {
  return {std::make_unique<MadeUp>(config, device), std::make_unique<MadeUp>(config, device)};
}

}  // namespace lockstep
