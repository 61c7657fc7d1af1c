// Data, model and checkpoint as a training would open them. Nothing is trained or written.
#pragma once

#include <cstdint>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/doctor/finding.h"
#include "trainer/group/place.h"

namespace lockstep {

// Bytes of one rank; 0 where a fault kept it from being known.
struct Sizes {
  std::uint64_t program = 0;  // itself, with the data open, before there is a model
  std::uint64_t model = 0;    // weights and buffers
  std::uint64_t gradients = 0;
  std::uint64_t optimizer = 0;  // all that a checkpoint has beside the model
  std::uint64_t batch = 0;      // one of the loader
};

struct TrainingFacts {
  std::vector<Finding> findings;
  Sizes sizes;
};

// Opens the data, decodes the first and last sample of both sets, has the loader make batches for a
// second, builds the model and its optimizer, and on rank 0 reads the newest checkpoint into
// them.
TrainingFacts look_at_training(const Config& config, const Place& place);

}  // namespace lockstep
