// Which samples a rank sees in an epoch, and in which order: index for index what Python's
// torch.utils.data.DistributedSampler yields.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep {

struct DistributedSampling {
  std::int64_t dataset_size = 0;
  int world_size = 1;
  int rank = 0;
  std::uint64_t seed = 0;
  bool shuffle = true;
  bool drop_last = false;  // false: the tail is padded by repeating the epoch's first samples
};

// One epoch of one rank: a value, immutable, so any thread may read it and any position is O(1).
// All ranks together walk one global order of size() * world_size samples; this rank takes
// positions rank, rank + world_size, ... Hence step k of a per-rank batch b covers the global
// positions [k * b * world_size, (k + 1) * b * world_size), whatever the world size.
class DistributedSampler {
 public:
  // Throws invalid_argument for an empty dataset, a world size below 1 or a rank outside it.
  DistributedSampler(const DistributedSampling& sampling, std::int64_t epoch);

  // Samples of this rank, the same on every rank; 0 when drop_last leaves nothing.
  std::int64_t size() const { return size_; }

  // Dataset index of this rank's sample number `position` in [0, size()).
  std::int64_t operator[](std::int64_t position) const;

  // Dataset indices of positions [first, first + count), cut at size().
  std::vector<std::int64_t> slice(std::int64_t first, std::int64_t count) const;

 private:
  DistributedSampling sampling_;
  std::vector<std::int64_t> order_;  // of the whole dataset; empty without shuffle
  std::int64_t size_ = 0;
};

}  // namespace lockstep
