// Cuts what is dealt to a rank into batches.
#include "trainer/data/dealt_sampler.h"

#include <utility>

namespace lockstep {

DealtSampler::DealtSampler(const Sampling& sampling, std::vector<std::int64_t> order)
    : batch_(sampling.batch),
      batches_(dealt_batches(sampling, std::ssize(order))),
      deal_(std::move(order), sampling.world_size, sampling.drop_last) {}

Draw DealtSampler::draw(int rank, std::int64_t position) const {
  return deal_.slice(rank, position * batch_, (position + 1) * batch_);
}

Drawn DealtSampler::drawn(std::int64_t position) const {
  return deal_.dealt(position * batch_, (position + 1) * batch_);
}

std::int64_t dealt_batches(const Sampling& sampling, std::int64_t samples) {
  const std::int64_t size = dealt_size(samples, sampling.world_size, sampling.drop_last);
  return sampling.drop_last ? size / sampling.batch : (size + sampling.batch - 1) / sampling.batch;
}

}  // namespace lockstep
