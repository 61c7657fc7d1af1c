// Padding, truncation and striding of torch.utils.data.DistributedSampler.
#include "trainer/data/distributed_sampler.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "trainer/data/random_permutation.h"

namespace lockstep {
namespace {

void require_valid(const DistributedSampling& sampling) {
  if (sampling.dataset_size < 1) {
    throw std::invalid_argument("the dataset is empty: a sampler needs at least one sample");
  }
  if (sampling.world_size < 1) {
    throw std::invalid_argument("world size " + std::to_string(sampling.world_size) +
                                " is not possible: use 1 or more");
  }
  if (sampling.rank < 0 || sampling.rank >= sampling.world_size) {
    throw std::invalid_argument("rank " + std::to_string(sampling.rank) + " is outside 0.." +
                                std::to_string(sampling.world_size - 1));
  }
}

}  // namespace

DistributedSampler::DistributedSampler(const DistributedSampling& sampling, std::int64_t epoch)
    : sampling_(sampling) {
  require_valid(sampling);
  const std::int64_t whole_rounds = sampling.dataset_size / sampling.world_size;
  const bool has_tail = sampling.dataset_size % sampling.world_size != 0;
  size_ = whole_rounds + (has_tail && !sampling.drop_last ? 1 : 0);
  if (sampling.shuffle) {
    order_ = random_permutation(sampling.dataset_size,
                                sampling.seed + static_cast<std::uint64_t>(epoch));
  }
}

std::int64_t DistributedSampler::operator[](std::int64_t position) const {
  // Padding repeats the order from its start, as often as needed: a remainder.
  const std::int64_t global =
      (position * sampling_.world_size + sampling_.rank) % sampling_.dataset_size;
  return sampling_.shuffle ? order_[global] : global;
}

std::vector<std::int64_t> DistributedSampler::slice(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> indices;
  for (std::int64_t position = first; position < std::min(first + count, size_); ++position) {
    indices.push_back((*this)[position]);
  }
  return indices;
}

}  // namespace lockstep
