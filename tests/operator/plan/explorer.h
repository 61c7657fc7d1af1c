// Every history of a small job up to a depth: all orders of what can happen, all points at which
// the operator can die or the job change under its hands, fresh and stale views.
#pragma once

#include <functional>
#include <string>

#include "tests/operator/plan/world.h"

namespace lockstep {

using Decide = std::function<Plan(const Observed& seen, Time now)>;

struct Exploration {
  std::size_t states = 0;  // that differ in more than the time of day
  std::size_t ends = 0;    // of them, with a job that is over
  std::string fault;       // the first broken promise, with the shortest history; empty: none
};

// Breadth first. From every fourth state the world is also left in peace with the operator for a
// while: then the job has to end. `is_fenced`: a plan is dropped halfway when the job changed, as
// the reconciler does.
Exploration explore(World start, int depth, const Decide& decide, bool is_fenced = true);

// A world whose job runs on all nodes.
World with_running_nodes(World world, const Decide& decide);

}  // namespace lockstep
