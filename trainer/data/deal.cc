// Padding, truncation and striding of torch.utils.data.DistributedSampler.
#include "trainer/data/deal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "trainer/data/random_permutation.h"

namespace lockstep {

Deal::Deal(std::vector<std::int64_t> order, int world_size, bool drop_last)
    : order_(std::move(order)),
      world_size_(world_size),
      size_(dealt_size(static_cast<std::int64_t>(order_.size()), world_size, drop_last)) {}

// Padding repeats the order from its start, as often as needed: a remainder.
Draw Deal::slice(int rank, std::int64_t first, std::int64_t last) const {
  Draw draw;
  for (std::int64_t number = first; number < std::min(last, size_); ++number) {
    const std::int64_t place = number * world_size_ + rank;
    draw.indices.push_back(order_[place % std::ssize(order_)]);
    if (place >= std::ssize(order_)) ++draw.repeated;
  }
  return draw;
}

Drawn Deal::dealt(std::int64_t first, std::int64_t last) const {
  const std::int64_t begin = std::min(first, size_) * world_size_;
  const std::int64_t end = std::min(last, size_) * world_size_;
  return {end - begin, std::clamp<std::int64_t>(end - std::ssize(order_), 0, end - begin)};
}

std::int64_t dealt_size(std::int64_t samples, int world_size, bool drop_last) {
  return drop_last ? samples / world_size : (samples + world_size - 1) / world_size;
}

std::vector<std::int64_t> epoch_order(const Sampling& sampling, std::int64_t samples,
                                      std::int64_t epoch) {
  if (sampling.shuffle) {
    return random_permutation(samples, sampling.seed + static_cast<std::uint64_t>(epoch));
  }
  std::vector<std::int64_t> order(samples);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

}  // namespace lockstep
