// Batches of one size over one order: distributed, repeat_factor and weighted differ in the order.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/data/deal.h"
#include "trainer/data/sampler.h"

namespace lockstep {

// Batch p of a rank is its samples [p * batch, (p + 1) * batch). The last batch is smaller, on all
// ranks alike, or, with drop_last, left out.
class DealtSampler : public Sampler {
 public:
  // `order` must not be empty.
  DealtSampler(const Sampling& sampling, std::vector<std::int64_t> order);

  std::int64_t batches() const override { return batches_; }
  Draw draw(int rank, std::int64_t position) const override;
  Drawn drawn(std::int64_t position) const override;

 private:
  std::int64_t batch_;
  std::int64_t batches_;
  Deal deal_;
};

// What DealtSampler::batches() is for an order of `samples`.
std::int64_t dealt_batches(const Sampling& sampling, std::int64_t samples);

}  // namespace lockstep
