// What every sampler is: the batches of one epoch, on every rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "trainer/config/config.h"

namespace lockstep {

// One batch of one rank.
struct Draw {
  std::vector<std::int64_t> indices{};  // into the data set, in order; one may come twice
  std::int64_t repeated = 0;            // of indices, the last ones: they only fill the tail up
  int bucket = 0;                       // length_bucket: from 0
  double time_scale = 1;                // multigrid: of the frames of a clip
  double space_scale = 1;               // multigrid: of the side of a crop
  bool operator==(const Draw&) const = default;
};

// Of all ranks together at one position.
struct Drawn {
  std::int64_t samples = 0;
  std::int64_t repeated = 0;  // of these: the sum of Draw::repeated
  bool operator==(const Drawn&) const = default;
};

// One epoch: a value, immutable, so any thread may read it. The same on every rank, which is why
// ranks agree without asking each other. A draw costs its own size, at any position.
class Sampler {
 public:
  virtual ~Sampler() = default;

  // Of each rank: all draw equally often. 0 when dropping the tail leaves nothing.
  virtual std::int64_t batches() const = 0;

  // `rank` in [0, world size), `position` in [0, batches()). At one position all ranks draw equally
  // many samples of one bucket and one scale.
  virtual Draw draw(int rank, std::int64_t position) const = 0;

  // What the ranks draw, without drawing it.
  virtual Drawn drawn(std::int64_t position) const = 0;
};

// What a sampler may know of a data set. Empty where the data set does not tell.
struct SampleFacts {
  std::int64_t size = 0;                // samples, at least 1
  std::vector<std::int32_t> lengths{};  // of each sample, such as tokens; from 0
  std::vector<std::int32_t> classes{};  // of each sample; from 0
  std::vector<double> weights{};        // of each sample, such as how often to draw it; from 0
};

// How to sample, apart from the data and the epoch.
struct Sampling {
  SamplerConfig method{};
  bool shuffle = true;
  bool drop_last = false;
  bool joins_tail = false;  // what fills the tail up does not count: the draws are the same
  std::uint64_t seed = 0;
  int world_size = 1;
  std::int64_t batch = 1;  // samples of one rank; length_bucket and multigrid scale or replace it
};

// Epoch `epoch`, from 0, of `sampling`. Throws std::invalid_argument when the data set lacks what
// the method needs or is empty, and BadData when its facts are not possible.
std::unique_ptr<Sampler> make_sampler(const Sampling& sampling, const SampleFacts& facts,
                                      std::int64_t epoch);

// From epoch `first_epoch` on, from 0, until the next stretch, each epoch has `batches` of each
// rank.
struct Stretch {
  std::int64_t first_epoch = 0;
  std::int64_t batches = 0;
  bool operator==(const Stretch&) const = default;
};

// How long the epochs are, without drawing one; the first stretch begins at epoch 0. Throws as
// make_sampler does.
std::vector<Stretch> stretches_of(const Sampling& sampling, const SampleFacts& facts);

}  // namespace lockstep
