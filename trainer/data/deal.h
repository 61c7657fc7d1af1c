// One order of an epoch, dealt to ranks in turn: index for index what Python's
// torch.utils.data.DistributedSampler yields.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/data/sampler.h"

namespace lockstep {

// Rank r gets the samples number r, r + world size, ... of the order. All get equally many: the
// tail is padded by repeating the order from its start or, with drop_last, dropped. Hence samples
// [first, last) of every rank are together [first, last) * world size of the order, whatever the
// world size.
class Deal {
 public:
  // `order` must not be empty, `world_size` at least 1.
  Deal(std::vector<std::int64_t> order, int world_size, bool drop_last);

  // Samples of each rank; 0 when drop_last leaves nothing.
  std::int64_t size() const { return size_; }

  // Samples number [first, last) of `rank`, cut at size().
  Draw slice(int rank, std::int64_t first, std::int64_t last) const;

  // What all ranks get of these.
  Drawn dealt(std::int64_t first, std::int64_t last) const;

 private:
  std::vector<std::int64_t> order_;
  std::int64_t world_size_;
  std::int64_t size_;
};

// What Deal::size() is for an order of `samples`.
std::int64_t dealt_size(std::int64_t samples, int world_size, bool drop_last);

// The samples in the order of the epoch: torch.randperm's for seed + epoch, or as they come.
std::vector<std::int64_t> epoch_order(const Sampling& sampling, std::int64_t samples,
                                      std::int64_t epoch);

}  // namespace lockstep
