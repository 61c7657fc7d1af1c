// Every history of small jobs up to a depth: all orders of what can happen, all points at which the
// operator can die, be refused or see a job change under its hands, fresh and stale views.
#pragma once

#include <string>

#include "tests/operator/plan/happenings.h"

namespace lockstep {

struct Exploration {
  std::size_t states = 0;  // that differ in more than the time of day
  std::size_t ends = 0;    // of them, with all jobs over
  std::size_t rounds = 0;  // of peace
  std::string fault;       // the first broken promise, with the shortest history; empty: none
};

// Breadth first. Each state is also left in peace: then the jobs have to end. `happened`: what of
// Once is not to come.
Exploration explore(Scene start, int depth, unsigned happened = kOften);

}  // namespace lockstep
