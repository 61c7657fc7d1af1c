// What Reconciler does, without its threads, caches and connections.
#include "tests/operator/plan/simulated_operator.h"

namespace lockstep {

const Action* Pass::action(std::size_t write) const {
  const std::size_t statuses = plan.status ? 1 : 0;
  return write < statuses ? nullptr : &plan.actions[write - statuses];
}

Pass SimulatedOperator::think(const World& world, const std::string& job, const World::Pods& view) {
  Pass pass;
  pass.seen = world.observed(job, view);
  if (const auto refused = refused_.extract(job)) pass.seen.refused = refused.mapped();
  pass.version = world.job(job).version();
  pass.plan = decide_(pass.seen, world.now());
  return pass;
}

bool SimulatedOperator::carry_out(const Pass& pass, std::size_t first, std::size_t last,
                                  World& world) {
  for (std::size_t write = first; write < last; ++write) {
    const Action* action = pass.action(write);
    if (action == nullptr) {
      if (!world.write(pass.job(), *pass.plan.status, pass.version)) return false;
      continue;
    }
    if (is_fenced_ && !world.is_current(pass.seen.job)) return false;
    if (auto refused = world.write(pass.job(), *action)) {
      be_refused(pass, std::move(*refused));
      return false;
    }
  }
  return true;
}

void SimulatedOperator::be_refused(const Pass& pass, RefusedCreate refused) {
  refused.attempt = pass.seen.job.status.attempt;
  refused_[pass.job()].push_back(std::move(refused));
}

std::string SimulatedOperator::key() const {
  std::string key;
  for (const auto& [job, all] : refused_) {
    for (const RefusedCreate& each : all) {
      key += job + std::to_string(each.attempt) + each.what +
             std::to_string(static_cast<int>(each.kind));
    }
  }
  return key;
}

}  // namespace lockstep
