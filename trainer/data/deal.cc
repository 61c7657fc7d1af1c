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

std::vector<std::int64_t> Deal::slice(int rank, std::int64_t first, std::int64_t last) const {
  std::vector<std::int64_t> indices;
  for (std::int64_t number = first; number < std::min(last, size_); ++number) {
    // Padding repeats the order from its start, as often as needed: a remainder.
    indices.push_back(order_[(number * world_size_ + rank) % std::ssize(order_)]);
  }
  return indices;
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
