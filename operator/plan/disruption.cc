// Reads the traces that a deletion or an eviction leaves on a pod.
#include "operator/plan/disruption.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "operator/plan/nodes.h"

namespace lockstep {
namespace {

// Reasons of a pod that the kubelet ended, or refused, for the machine's sake.
constexpr std::array<std::string_view, 6> kKubeletReasons = {
    "Evicted", "NodeShutdown", "Terminated", "Shutdown", "NodeLost", "Preempting"};

const PodCondition* disruption_target(const Pod& pod) {
  const PodCondition* target = condition_of(pod, "DisruptionTarget");
  return target && target->status ? target : nullptr;
}

// The API keeps when the grace period is over.
std::optional<Time> deleted_at(const ObjectMeta& meta) {
  if (!meta.deletion_time) return std::nullopt;
  return *meta.deletion_time - std::chrono::seconds(meta.deletion_grace_seconds.value_or(0));
}

}  // namespace

bool is_disrupted(const Pod& pod) {
  return disruption_target(pod) || std::find(kKubeletReasons.begin(), kKubeletReasons.end(),
                                             pod.reason) != kKubeletReasons.end();
}

std::optional<Time> told_to_end_at(const Pod& pod) {
  const std::optional<Time> deleted = deleted_at(pod.meta);
  if (!is_disrupted(pod)) return deleted;
  const PodCondition* target = disruption_target(pod);
  const Time disrupted = target ? target->last_transition.value_or(Time::min()) : Time::min();
  return std::min(disrupted, deleted.value_or(Time::max()));
}

}  // namespace lockstep
