// How many steps a run has and how a batch is cut: arithmetic on the configuration. Pure.
#pragma once

#include <cstdint>

#include "trainer/config/config.h"

namespace lockstep {

struct Plan {
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 1;
  std::int64_t total_steps = 1;
  std::int64_t batch_size = 1;  // samples per step over all ranks; fewer in a tail step
  std::int64_t batch_size_per_rank = 1;

  // The epoch, from 1, of optimizer step number `step` (from 1); 0 before the first.
  std::int64_t epoch_of(std::int64_t step) const;

  // The step number at which the epoch after `step` steps ends, or the run does.
  std::int64_t epoch_end(std::int64_t step) const;
};

// Steps per epoch do not depend on the world size: the tail of an epoch is one smaller step, or,
// with data.drop_last, none. Throws std::invalid_argument when train.batch_size does not divide
// evenly over `world_size` or drop_last leaves no step.
Plan plan_for(const Config& config, std::int64_t samples, int world_size);

}  // namespace lockstep
