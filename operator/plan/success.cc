// Success policies.
#include "operator/plan/success.h"

#include "operator/api/names.h"

namespace lockstep {
namespace {

Success first_node(const View& view) {
  const ContainerState* trainer = trainer_of(*view.nodes.current[0]);
  const bool has_time = trainer && trainer->terminated && trainer->terminated->finished;
  return {names::kFirstNodeSucceeded, "node 0 succeeded, which runPolicy.successPolicy asks for",
          has_time ? *trainer->terminated->finished : view.now};
}

Success all_nodes(const View& view) {
  const std::string count = std::to_string(view.job.spec.num_nodes);
  return {names::kAllNodesSucceeded, "all " + count + " nodes succeeded",
          view.nodes.last_finish().value_or(view.now)};
}

}  // namespace

std::optional<Success> success_of(const View& view) {
  const Pod* first = view.nodes.current[0];
  const bool first_is_enough = view.job.spec.run_policy.success_policy == SuccessPolicy::kFirstNode;
  if (view.nodes.all_succeeded()) return all_nodes(view);
  if (first_is_enough && first && has_succeeded(*first)) return first_node(view);
  return std::nullopt;
}

Time peers_end_at(const TrainingJob& job) {
  const RunPolicy& policy = job.spec.run_policy;
  const bool has_grace = policy.success_policy == SuccessPolicy::kFirstNode &&
                         job.status.is(names::kComplete) && job.status.completion_time;
  if (!has_grace) return Time::min();
  return *job.status.completion_time + std::chrono::seconds(policy.success_grace_seconds);
}

}  // namespace lockstep
