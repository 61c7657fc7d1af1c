// One random history: a world that moves on its own, and an operator whose view of it lags behind
// and that may die between any two writes.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/operator/plan/simulated_operator.h"

namespace lockstep {

class SimulatedCluster {
 public:
  SimulatedCluster(int nodes, int backoff_limit, unsigned seed);

  // One step of the kubelet, of machines or of users; time passes.
  void live();
  // The kubelet only, and kindly: pods start, succeed and end.
  void live_kindly();

  // One pass of the operator over its view, which goes forward only, and sometimes late.
  void operate(bool may_crash);

  const World& world() const { return world_; }
  const StoredJob& job() const;
  int crashes() const { return crashes_; }
  int conflicts() const { return conflicts_; }

 private:
  bool chance(double probability);
  int up_to(int highest);
  void disturb(const std::string& pod);
  void catch_up_view();

  std::mt19937 random_;
  World world_;
  SimulatedOperator operator_;
  std::vector<World::Pods> seen_;  // one entry a change of the pods
  std::size_t view_ = 0;           // what of it the operator has seen
  int crashes_ = 0;
  int conflicts_ = 0;
};

}  // namespace lockstep
