// Numbers the batches of all epochs through, and has them made in that order.
#include "trainer/batches/loader.h"

#include <algorithm>
#include <cmath>

#include "trainer/torch.h"

namespace lockstep {
namespace {

constexpr std::size_t kSamplersKept = 2;  // of the epoch that ends and of the one that begins

at::Tensor pinned(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().is_cpu() ? tensor.pin_memory() : tensor;
}

// Multigrid's smaller pictures.
Batch scaled(Batch batch, const Draw& draw) {
  if (draw.space_scale == 1 || batch.inputs.dim() != 4) return batch;
  const auto side = [&](std::int64_t dimension) {
    return std::max<std::int64_t>(
        1, std::llround(static_cast<double>(batch.inputs.size(dimension)) * draw.space_scale));
  };
  batch.inputs = at::upsample_bilinear2d(batch.inputs, {side(2), side(3)}, /*align_corners=*/false);
  return batch;
}

}  // namespace

Loader::Loader(const Dataset& data, const Sampling& sampling, int rank, at::Device device,
               const LoaderSettings& settings)
    : data_(data),
      sampling_(sampling),
      rank_(rank),
      device_(device),
      stretches_(stretches_of(sampling, data.facts())),
      batches_([this](std::int64_t number) { return make(number); },
               data.is_quick() ? 0 : settings.threads,
               std::int64_t{settings.threads} * settings.ahead, PositionRange{0, 0}) {}

std::int64_t Loader::batches_in(std::int64_t epoch) const {
  const auto after = std::upper_bound(
      stretches_.begin(), stretches_.end(), epoch,
      [](std::int64_t value, const Stretch& stretch) { return value < stretch.first_epoch; });
  return std::prev(after)->batches;
}

std::int64_t Loader::counted_at(std::int64_t epoch, std::int64_t position) const {
  const Drawn drawn = sampler_of(epoch)->drawn(position);
  return drawn.samples - (sampling_.joins_tail ? drawn.repeated : 0);
}

Batch Loader::at(std::int64_t epoch, std::int64_t position) {
  const std::int64_t number = number_of(epoch, position);
  if (batches_.done() || batches_.position() != number) batches_.aim({.first = number});
  return moved_to(device_, batches_.next());
}

Batch Loader::make(std::int64_t number) const {
  const auto [epoch, position] = place_of(number);
  const Draw draw = sampler_of(epoch)->draw(rank_, position);
  Batch batch = scaled(data_.batch(draw.indices, Variation{sampling_.seed, epoch}), draw);
  if (sampling_.joins_tail) batch.ignored = std::min(batch.size(), batch.ignored + draw.repeated);
  if (device_.is_cuda()) {
    batch.inputs = pinned(batch.inputs);
    batch.targets = pinned(batch.targets);
  }
  return batch;
}

std::int64_t Loader::number_of(std::int64_t epoch, std::int64_t position) const {
  std::int64_t number = position;
  for (std::size_t i = 0; i < stretches_.size() && stretches_[i].first_epoch < epoch; ++i) {
    const bool is_last = i + 1 == stretches_.size();
    const std::int64_t end = is_last ? epoch : std::min(epoch, stretches_[i + 1].first_epoch);
    number += (end - stretches_[i].first_epoch) * stretches_[i].batches;
  }
  return number;
}

std::pair<std::int64_t, std::int64_t> Loader::place_of(std::int64_t number) const {
  std::size_t i = 0;
  for (; i + 1 < stretches_.size(); ++i) {
    const std::int64_t epochs = stretches_[i + 1].first_epoch - stretches_[i].first_epoch;
    if (number < epochs * stretches_[i].batches) break;
    number -= epochs * stretches_[i].batches;
  }
  const Stretch& stretch = stretches_[i];
  return {stretch.first_epoch + number / stretch.batches, number % stretch.batches};
}

std::shared_ptr<const Sampler> Loader::sampler_of(std::int64_t epoch) const {
  const std::lock_guard lock(mutex_);
  auto& sampler = samplers_[epoch];
  if (!sampler) sampler = make_sampler(sampling_, data_.facts(), epoch);
  const std::shared_ptr<const Sampler> kept = sampler;
  while (samplers_.size() > kSamplersKept) {
    samplers_.erase(samplers_.begin()->first == epoch ? std::prev(samplers_.end())
                                                      : samplers_.begin());
  }
  return kept;
}

}  // namespace lockstep
