// What may happen next in the cluster in memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/operator/plan/simulated_operator.h"

namespace lockstep {

struct Scene {
  World world;
  SimulatedOperator operator_;
};

// Things that happen once in a history, or else it would have no end.
enum Once : unsigned { kOften = 0, kJobMadeAgain = 1, kNameTaken = 2, kAllOnce = 3 };

struct Happening {
  std::string name;
  std::function<void(Scene&)> happen;
  Once once = kOften;
};

// Of time, users, kubelets and machines. `happened`: those of Once that are not to come any more.
std::vector<Happening> happenings_in(const World& world, unsigned happened);

// A pass for each job but that one: the operator works on several at once.
std::vector<Happening> passes_beside(const World& world, const std::string& job);

}  // namespace lockstep
