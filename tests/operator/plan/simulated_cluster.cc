// Chance, and the lag of the view.
#include "tests/operator/plan/simulated_cluster.h"

#include <iterator>

namespace lockstep {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

const std::string kJob = "sim";

}  // namespace

const StoredJob& SimulatedCluster::job() const { return world_.job(kJob); }

SimulatedCluster::SimulatedCluster(int nodes, int backoff_limit, unsigned seed)
    : random_(seed),
      world_({StoredJob(kJob, nodes, {{"backoffLimit", backoff_limit}})}),
      operator_(decide),
      seen_{world_.pods()} {}

bool SimulatedCluster::chance(double probability) {
  return std::uniform_real_distribution<>()(random_) < probability;
}

int SimulatedCluster::up_to(int highest) {
  return std::uniform_int_distribution<>(0, highest)(random_);
}

void SimulatedCluster::live() {
  world_.wait(milliseconds(100 + up_to(19900)));
  if (chance(0.02)) world_.set_suspended(kJob, !job().is_suspended());
  if (world_.pods().empty()) return;
  const int last = static_cast<int>(world_.pods().size()) - 1;
  const std::string pod = std::next(world_.pods().begin(), up_to(last))->first;
  if (world_.is_going(pod)) {
    if (chance(0.5)) world_.vanish(pod);
  } else if (chance(0.05)) {
    disturb(pod);
  } else if (world_.is_pending(pod)) {
    world_.start(pod);
  } else if (!world_.is_over(pod) && chance(0.3)) {
    const int codes[] = {0, 0, 0, 0, 1, 75, 80, 137};
    world_.finish(pod, codes[up_to(7)]);
  }
  seen_.push_back(world_.pods());
}

void SimulatedCluster::disturb(const std::string& pod) {
  if (chance(0.3)) {
    world_.vanish(pod);
  } else if (chance(0.5)) {
    world_.evict(pod);
  } else {
    world_.remove(pod);
  }
}

void SimulatedCluster::live_kindly() {
  world_.wait(seconds(30));
  if (job().is_suspended()) world_.set_suspended(kJob, false);
  const World::Pods pods = world_.pods();
  for (const auto& [pod, object] : pods) {
    if (world_.is_going(pod)) {
      world_.vanish(pod);
    } else if (world_.is_pending(pod)) {
      world_.start(pod);
    } else if (!world_.is_over(pod)) {
      world_.finish(pod, 0);
    }
  }
  seen_.push_back(world_.pods());
}

void SimulatedCluster::catch_up_view() {
  const std::size_t newest = seen_.size() - 1;
  if (chance(0.6)) {
    view_ = newest;
  } else {
    view_ = std::uniform_int_distribution<std::size_t>(view_, newest)(random_);
  }
}

void SimulatedCluster::operate(bool may_crash) {
  catch_up_view();
  const Pass pass = operator_.think(world_, kJob, seen_[view_]);
  if (chance(0.3)) live();  // the world moves while the operator thinks
  for (std::size_t write = 0; write < pass.writes(); ++write) {
    if (may_crash && chance(0.1)) {
      ++crashes_;
      operator_ = SimulatedOperator(decide);
      view_ = seen_.size() - 1;  // the next operator begins with a list
      return;
    }
    if (!operator_.carry_out(pass, write, write + 1, world_)) {
      ++conflicts_;  // the plan is dropped
      return;
    }
    seen_.push_back(world_.pods());
  }
}

}  // namespace lockstep
