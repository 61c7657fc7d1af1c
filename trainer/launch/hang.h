// Whether a node stands still, and which rank is to blame. Pure.
#pragma once

#include <optional>
#include <string>

#include "trainer/launch/node_status.h"

namespace lockstep {

struct Hang {
  int rank = 0;
  double silent_seconds = 0;  // of this rank; every other one is silent for as long as was allowed
  std::string phase;          // what it said last; empty: not said
  std::optional<double> epoch, step;
  bool is_stopped = false;  // SIGSTOP, or a debugger
};

// A node hangs when none of its ranks has reported for `allowed_seconds`: while one saves or
// evaluates, the others wait in silence. The culprit is the rank the others wait for.
std::optional<Hang> find_hang(const NodeStatus& node, double allowed_seconds);

// "hangs: silent for 30 s, last heard of in phase step, epoch 1, step 120"
std::string describe(const Hang& hang);

}  // namespace lockstep
