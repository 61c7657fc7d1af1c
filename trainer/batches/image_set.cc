// Gathers bytes, then scales them.
#include "trainer/batches/image_set.h"

#include <memory>
#include <stdexcept>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr double kWhite = 255;

at::Tensor per_channel(const char* name, const std::vector<double>& values, std::int64_t channels) {
  if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != channels) {
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) +
                                " numbers, but images have " + std::to_string(channels) +
                                " channels: give one for all or one for each");
  }
  const at::Tensor tensor = at::tensor(at::ArrayRef<double>(values)).view({-1, 1, 1});
  return tensor.expand({channels, 1, 1});
}

}  // namespace

ImageSet::ImageSet(Images images, std::int64_t classes, const PixelScale& normalisation,
                   at::Device device)
    : shape_{SampleKind::kPictures, images.channels,  images.rows,
             images.columns,        /*vocabulary=*/0, classes},
      facts_{.size = static_cast<std::int64_t>(images.labels.size()), .classes = images.labels},
      identity_(images.identity) {
  const at::Tensor mean = per_channel("data.mean", normalisation.mean, images.channels);
  const at::Tensor std = per_channel("data.std", normalisation.std, images.channels);
  scale_ = (1 / (kWhite * std)).to(at::kFloat).to(device);
  shift_ = (-mean / std).to(at::kFloat).to(device);
  labels_ = at::tensor(at::ArrayRef<std::int32_t>(images.labels)).to(device, at::kLong);
  const auto owner = std::make_shared<std::vector<std::uint8_t>>(std::move(images.pixels));
  pixels_ = at::from_blob(
                owner->data(), {size(), shape_.channels, shape_.rows, shape_.columns},
                [owner](void*) {}, at::dtype(at::kByte))
                .to(device);
}

Batch ImageSet::batch(std::span<const std::int64_t> indices,
                      const std::optional<Variation>&) const {
  const at::Tensor rows =
      at::tensor(at::ArrayRef<std::int64_t>(indices.data(), indices.size())).to(pixels_.device());
  return {.inputs = pixels_.index_select(0, rows).to(at::kFloat).mul_(scale_).add_(shift_),
          .targets = labels_.index_select(0, rows),
          .lengths = {}};
}

}  // namespace lockstep
