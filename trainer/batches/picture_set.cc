// Fills a batch picture by picture.
#include "trainer/batches/picture_set.h"

#include <array>

#include "trainer/batches/augmentation.h"
#include "trainer/errors.h"
#include "trainer/log_line.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

std::array<double, 3> of_three_channels(const std::vector<double>& values) {
  if (values.size() == 1) return {values[0], values[0], values[0]};
  if (values.size() == 3) return {values[0], values[1], values[2]};
  throw std::invalid_argument("data.mean and data.std have one number, or three for colours");
}

}  // namespace

PictureSet::PictureSet(Load load, std::vector<std::int32_t> labels, std::int64_t classes,
                       std::uint32_t identity, const DataConfig& data)
    : load_(std::move(load)),
      data_(data),
      shape_{SampleKind::kPictures, Image::kChannels, data.image_size,
             data.image_size,       /*vocabulary=*/0, classes},
      facts_{.size = static_cast<std::int64_t>(labels.size()),
             .lengths = {},
             .classes = std::move(labels),
             .weights = {}},
      identity_(identity),
      normaliser_({of_three_channels(data.mean), of_three_channels(data.std)}),
      damaged_(data.max_damaged, "data.max_damaged") {}

Batch PictureSet::batch(std::span<const std::int64_t> indices,
                        const std::optional<Variation>& variation) const {
  const auto count = static_cast<std::int64_t>(indices.size());
  const at::Tensor pictures =
      at::empty({count, shape_.channels, shape_.rows, shape_.columns}, at::kFloat);
  const auto cells = static_cast<std::size_t>(shape_.channels * shape_.rows * shape_.columns);
  float* const begin = pictures.mutable_data_ptr<float>();
  std::vector<std::int64_t> labels;
  for (const std::int64_t index : indices) {
    if (write(index, variation, {begin + labels.size() * cells, cells})) {
      labels.push_back(facts_.classes.at(index));
    }
  }
  if (labels.empty()) return {pictures.slice(0, 0, 1).zero_(), at::zeros({1}, at::kLong), {}, 1};
  return {.inputs = pictures.slice(0, 0, static_cast<std::int64_t>(labels.size())),
          .targets = at::tensor(labels),
          .lengths = {}};
}

// False: the picture is damaged and was left out.
bool PictureSet::write(std::int64_t index, const std::optional<Variation>& variation,
                       std::span<float> planes) const {
  try {
    const Image image = load_(index);
    if (!variation) {
      normaliser_.write_planes(prepared(image, data_), planes);
      return true;
    }
    SampleRandom random(variation->seed, variation->epoch, index);
    normaliser_.write_planes(augmented(image, data_, random), planes);
    erase_at_random(planes, shape_.rows, shape_.columns, data_.augment.erasing, random);
    return true;
  } catch (const BadData& fault) {
    if (!variation) throw;
    skip(fault.what());
    return false;
  }
}

void PictureSet::skip(const std::string& fault) const {
  const std::lock_guard lock(mutex_);
  if (!damaged_.skip(fault)) return;
  const std::string warning = damaged_.warning();
  if (!warning.empty()) log_line("warning: " + warning);
}

}  // namespace lockstep
