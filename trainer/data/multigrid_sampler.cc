// Two cycles of clips, and batches that grow as clips shrink.
#include "trainer/data/multigrid_sampler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lockstep {
namespace {

constexpr double kRootHalf = std::numbers::sqrt2 / 2;
constexpr ClipScale kLongCycle[] = {{0.25, kRootHalf}, {0.5, kRootHalf}, {0.5, 1}, {1, 1}};
constexpr double kShortCycle[] = {0.5, kRootHalf, 1};

ClipScale long_scale(const SamplerConfig& method, std::int64_t epoch) {
  if (method.long_cycle.empty()) return {};
  return kLongCycle[std::ranges::count_if(method.long_cycle,
                                          [epoch](int begin) { return begin <= epoch; }) %
                    std::ssize(kLongCycle)];
}

// Samples of a rank, in units of a full clip's batch, that the first `count` batches take.
std::int64_t factors_of(const std::vector<ClipScale>& scales, std::int64_t count) {
  const auto sum_of_first = [&](std::int64_t part) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < part; ++i) sum += scales[i].batch_factor();
    return sum;
  };
  const std::int64_t cycle = std::ssize(scales);
  return count / cycle * sum_of_first(cycle) + sum_of_first(count % cycle);
}

}  // namespace

std::int64_t ClipScale::batch_factor() const { return std::llround(1 / (time * space * space)); }

std::vector<ClipScale> clip_scales(const SamplerConfig& method, std::int64_t epoch) {
  const ClipScale base = long_scale(method, epoch);
  if (!method.short_cycle) return {base};
  std::vector<ClipScale> scales;
  for (const double crop : kShortCycle) scales.push_back({base.time, std::min(crop, base.space)});
  return scales;
}

MultigridSampler::MultigridSampler(const Sampling& sampling, std::int64_t samples,
                                   std::int64_t epoch)
    : batch_(sampling.batch),
      scales_(clip_scales(sampling.method, epoch)),
      batches_(multigrid_batches(sampling, samples, epoch)),
      deal_(epoch_order(sampling, samples, epoch), sampling.world_size, sampling.drop_last) {}

Draw MultigridSampler::draw(int rank, std::int64_t position) const {
  const ClipScale& scale = scales_[position % std::ssize(scales_)];
  Draw draw = deal_.slice(rank, first_of(position), first_of(position + 1));
  draw.time_scale = scale.time;
  draw.space_scale = scale.space;
  return draw;
}

Drawn MultigridSampler::drawn(std::int64_t position) const {
  return deal_.dealt(first_of(position), first_of(position + 1));
}

std::int64_t MultigridSampler::first_of(std::int64_t position) const {
  return factors_of(scales_, position) * batch_;
}

std::int64_t multigrid_batches(const Sampling& sampling, std::int64_t samples, std::int64_t epoch) {
  const auto scales = clip_scales(sampling.method, epoch);
  const std::int64_t size = dealt_size(samples, sampling.world_size, sampling.drop_last);
  const std::int64_t cycle = factors_of(scales, std::ssize(scales)) * sampling.batch;
  std::int64_t batches = size / cycle * std::ssize(scales);
  while (factors_of(scales, batches + 1) * sampling.batch <= size) ++batches;
  const bool has_tail = factors_of(scales, batches) * sampling.batch < size;
  return batches + (has_tail && !sampling.drop_last ? 1 : 0);
}

}  // namespace lockstep
