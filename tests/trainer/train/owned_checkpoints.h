// The checkpoints of a run that saves: it owns its directory from the start.
#pragma once

#include "trainer/checkpoints.h"

namespace lockstep {

struct OwnedCheckpoints : Checkpoints {
  OwnedCheckpoints(const Config& config, const DataFacts& data, const Place& place, Group& group)
      : Checkpoints(config, data, place, group) {
    own();
  }
};

}  // namespace lockstep
