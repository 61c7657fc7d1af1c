// Batches from bytes.
#include "trainer/data/torch_images.h"

#include <memory>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr double kWhite = 255;

}  // namespace

ImageSet::ImageSet(IdxDataset dataset, double mean, double std, at::Device device)
    : scale_(1 / (kWhite * std)), shift_(-mean / std) {
  const auto owner = std::make_shared<IdxDataset>(std::move(dataset));
  const auto keep = [owner](void*) {};
  const at::TensorOptions bytes = at::dtype(at::kByte);
  images_ = at::from_blob(owner->images.data(), {owner->size(), 1, owner->rows, owner->columns},
                          keep, bytes)
                .to(device);
  labels_ = at::from_blob(owner->labels.data(), {owner->size()}, keep, bytes).to(device, at::kLong);
}

Batch ImageSet::gather(std::vector<std::int64_t> indices) const {
  const at::Tensor rows =
      at::from_blob(indices.data(), {static_cast<std::int64_t>(indices.size())}, at::kLong)
          .to(images_.device());
  return normalised(images_.index_select(0, rows), labels_.index_select(0, rows));
}

Batch ImageSet::range(std::int64_t first, std::int64_t last) const {
  return normalised(images_.slice(0, first, last), labels_.slice(0, first, last));
}

Batch ImageSet::normalised(const at::Tensor& images, at::Tensor labels) const {
  return {images.to(at::kFloat).mul_(scale_).add_(shift_), std::move(labels)};
}

}  // namespace lockstep
