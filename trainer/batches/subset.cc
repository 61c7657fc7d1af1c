// Looks each index up on its way to the whole set.
#include "trainer/batches/subset.h"

#include <zlib.h>

#include <stdexcept>

#include "trainer/data/sample_random.h"
#include "trainer/torch.h"

namespace lockstep {
namespace {

template <typename Value>
std::vector<Value> picked(const std::vector<Value>& values,
                          const std::vector<std::int64_t>& indices) {
  if (values.empty()) return {};
  std::vector<Value> result;
  result.reserve(indices.size());
  for (const std::int64_t index : indices) result.push_back(values.at(index));
  return result;
}

}  // namespace

Subset::Subset(std::shared_ptr<const Dataset> whole, std::vector<std::int64_t> indices)
    : whole_(std::move(whole)), indices_(std::move(indices)) {
  const SampleFacts& all = whole_->facts();
  facts_ = {.size = static_cast<std::int64_t>(indices_.size()),
            .lengths = picked(all.lengths, indices_),
            .classes = picked(all.classes, indices_),
            .weights = picked(all.weights, indices_)};
}

std::uint32_t Subset::identity() const {
  const auto* bytes = reinterpret_cast<const Bytef*>(indices_.data());
  return static_cast<std::uint32_t>(
      crc32_z(whole_->identity(), bytes, indices_.size() * sizeof indices_[0]));
}

Batch Subset::batch(std::span<const std::int64_t> indices,
                    const std::optional<Variation>& variation) const {
  return whole_->batch(picked(indices_, {indices.begin(), indices.end()}), variation);
}

void require_samples(std::int64_t part, std::int64_t all) {
  if (part > 0 && part < all) return;
  throw std::invalid_argument("data.holdout leaves no sample on one side of " +
                              std::to_string(all) +
                              ": choose another share, or name data.val.path");
}

std::pair<std::unique_ptr<Dataset>, std::unique_ptr<Dataset>> hold_out(
    std::shared_ptr<const Dataset> whole, double share, std::uint64_t seed) {
  std::vector<std::int64_t> kept, held;
  for (std::int64_t index = 0; index < whole->size(); ++index) {
    (is_held_out(seed, index, share) ? held : kept).push_back(index);
  }
  require_samples(static_cast<std::int64_t>(held.size()), whole->size());
  return {std::make_unique<Subset>(whole, std::move(kept)),
          std::make_unique<Subset>(whole, std::move(held))};
}

}  // namespace lockstep
