// A data set as the trainer sees it: facts for the sampler, batches for the model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "trainer/batches/batch.h"
#include "trainer/data/sampler.h"

namespace lockstep {

// What makes a sample look different in each epoch. The same sample of the same epoch always looks
// the same, whatever thread or rank makes it.
struct Variation {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;
};

// Immutable. Threads: any number at once.
class Dataset {
 public:
  virtual ~Dataset() = default;

  virtual DataShape shape() const = 0;
  virtual const SampleFacts& facts() const = 0;
  std::int64_t size() const { return facts().size; }

  // A checksum: two ranks with the same identity hold the same data.
  virtual std::uint32_t identity() const = 0;

  // The samples of these indices, in this order. With a variation they are augmented, if the set
  // was opened for training; without one they are as they are. Throws BadData for a sample that
  // cannot be read.
  virtual Batch batch(std::span<const std::int64_t> indices,
                      const std::optional<Variation>& variation) const = 0;

  // Whether a batch is cheaper to make than to hand from thread to thread.
  virtual bool is_quick() const = 0;
};

}  // namespace lockstep
