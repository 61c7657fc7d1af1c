// How many steps a run has and how a step is cut into batches: arithmetic on the configuration and
// the sampler's counts. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/data/sampler.h"

namespace lockstep {

// Where a run is: epoch and steps done in it, both from 0.
struct EpochStep {
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  bool operator==(const EpochStep&) const = default;
};

// An optimizer step takes `accumulate` consecutive batches of the sampler; the last step of an
// epoch takes what is left, or, with data.tail drop, there is no such step.
struct Plan {
  // From epoch `first_epoch` on, whose first step follows `steps_before`, until the next entry.
  struct Epochs {
    std::int64_t first_epoch = 0;
    std::int64_t steps_before = 0;
    std::int64_t steps_per_epoch = 1;
  };

  std::int64_t epochs = 1;
  std::int64_t total_steps = 1;
  std::int64_t batch_size = 1;           // samples per step over all ranks; fewer in a tail step
  std::int64_t batch_size_per_rank = 1;  // of one of the `accumulate` batches
  std::int64_t accumulate = 1;
  std::vector<Epochs> lengths = {{}};  // ascending; epochs differ in length only under multigrid

  // Where a run that has done `step` steps goes on.
  EpochStep at(std::int64_t step) const;

  // The epoch, from 1, of optimizer step number `step` (from 1); 0 before the first.
  std::int64_t epoch_of(std::int64_t step) const;

  // The step number at which the epoch after `step` steps ends, or the run does.
  std::int64_t epoch_end(std::int64_t step) const;

  // Steps done when epoch `epoch`, from 0, begins; steps that epoch has.
  std::int64_t steps_before(std::int64_t epoch) const;
  std::int64_t steps_in(std::int64_t epoch) const;

  // Epochs done after `step` steps, with the fraction of the one that is under way.
  double epochs_done(std::int64_t step) const;

  // The sampler's positions [first, last) that the step after `place` takes, in an epoch of
  // `batches`.
  struct Positions {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  Positions positions(const EpochStep& place, std::int64_t batches) const;
};

// How the training set is sampled. Throws std::invalid_argument when train.batch_size does not
// divide evenly over ranks and train.accumulate, naming numbers that do. length_bucket with batch
// sizes of its own does not look at train.batch_size; batches beyond all measure are refused.
Sampling sampling_for(const Config& config, int world_size);

// Under the distributed sampler steps per epoch depend on neither world size nor train.accumulate.
// Throws what sampling_for and stretches_of throw, and std::invalid_argument when an epoch has no
// step.
Plan plan_for(const Config& config, const SampleFacts& facts, int world_size);

}  // namespace lockstep
