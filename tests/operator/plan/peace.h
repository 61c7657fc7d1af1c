// What becomes of a scene that is left in peace: kubelets start and finish what there is, and
// nothing else happens. All jobs have to end, and then to stay as they are.
#pragma once

#include <string>
#include <unordered_set>

#include "tests/operator/plan/happenings.h"

namespace lockstep {

// The operator works only when it has reason to: something of a job changed, or the time has come
// that its last plan named. Plans for several jobs are carried out side by side, write by write.
class Peace {
 public:
  // What goes wrong; empty: nothing. What led to an end once is not walked again.
  std::string fault_after(Scene scene);

  std::size_t rounds() const { return rounds_; }

 private:
  std::unordered_set<std::string> known_;  // scenes that lead to an end
  std::size_t rounds_ = 0;
};

// A world in which all jobs run on all their nodes.
World with_running_nodes(World world, const Decide& decide);

}  // namespace lockstep
