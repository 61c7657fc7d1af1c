// An operator of the cluster in memory: observes, decides, and carries a plan out write by write.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/operator/plan/world.h"

namespace lockstep {

using Decide = std::function<Plan(const Observed& seen, Time now)>;

// What it thinks of a job at one instant. Its writes, numbered: the status first, then the actions.
struct Pass {
  Observed seen;
  int version = 0;  // of the job, when it was seen
  Plan plan;

  const std::string& job() const { return seen.job.meta.name; }
  std::size_t writes() const { return (plan.status ? 1 : 0) + plan.actions.size(); }
  const Action* action(std::size_t write) const;  // nullptr: the status
};

// A value, as the world is. All that it remembers is what was refused, until the next pass.
class SimulatedOperator {
 public:
  // `is_fenced`: a plan is dropped halfway when its job changed, as the reconciler does.
  explicit SimulatedOperator(Decide decide, bool is_fenced = true)
      : decide_(std::move(decide)), is_fenced_(is_fenced) {}

  Pass think(const World& world, const std::string& job, const World::Pods& view);

  // The writes from `first` up to `last`. False: it stopped before, since the job changed or a
  // create was refused.
  bool carry_out(const Pass& pass, std::size_t first, std::size_t last, World& world);
  bool carry_out(const Pass& pass, World& world) {
    return carry_out(pass, 0, pass.writes(), world);
  }

  // The API server refuses a create of the pass.
  void be_refused(const Pass& pass, RefusedCreate refused);
  bool was_refused(const std::string& job) const { return refused_.contains(job); }

  std::string key() const;

 private:
  Decide decide_;
  bool is_fenced_;
  std::map<std::string, std::vector<RefusedCreate>> refused_;
};

}  // namespace lockstep
