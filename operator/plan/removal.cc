// Pod deletions.
#include "operator/plan/removal.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/ownership.h"
#include "operator/plan/success.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr int kGraceAfterFailure = 10;  // seconds: there is nothing left to save

bool is_unwanted(const Pod& pod, CleanPodPolicy policy) {
  switch (policy) {
    case CleanPodPolicy::kAll:
      return true;
    case CleanPodPolicy::kNone:
      return false;
    case CleanPodPolicy::kRunning:
      break;
  }
  return !has_ended(pod);  // the logs of a pod that ended are to stay
}

// An evicted or suspended gang keeps the pod's own grace period: it saves a checkpoint in it.
std::optional<int> grace_after(AttemptCause cause) {
  if (cause == AttemptCause::kFailure) return kGraceAfterFailure;
  return std::nullopt;
}

void remove_if_stuck(const Pod& pod, const View& view, Plan& plan) {
  const seconds timeout(view.job.spec.run_policy.pod_termination_timeout_seconds);
  const Time limit = *pod.meta.deletion_time + timeout;
  if (pod.meta.deletion_grace_seconds == 0) return;  // forced already
  if (view.now < limit) return look_again_at(plan, limit);
  plan.actions.push_back(DeletePod{pod.meta.name, pod.meta.uid, 0});
  plan.events.push_back({.is_warning = true,
                         .reason = names::kForcedDeletion,
                         .message = "pod " + pod.meta.name + " did not end on node " +
                                    pod.node_name + ": it is deleted without waiting"});
}

}  // namespace

Plan clean_up(const View& view) {
  Plan plan;
  const RunPolicy& policy = view.job.spec.run_policy;
  for (const Pod& pod : view.seen.pods) {
    const bool has_to_go = owns(view.job, pod.meta) && !pod.meta.deletion_time &&
                           is_unwanted(pod, policy.clean_pod_policy);
    if (!has_to_go) continue;
    if (peers_end_at(view.job) > view.now && !has_ended(pod)) {
      look_again_at(plan, peers_end_at(view.job));
    } else {
      plan.actions.push_back(DeletePod{pod.meta.name, pod.meta.uid, std::nullopt});
    }
  }
  return plan;
}

void remove_stuck(const View& view, Plan& plan) {
  for (const Pod& pod : view.seen.pods) {
    if (owns(view.job, pod.meta) && pod.meta.deletion_time) remove_if_stuck(pod, view, plan);
  }
}

void remove_earlier(const View& view, Plan& plan) {
  const std::optional<int> grace = grace_after(view.status.attempt_cause);
  for (const Pod* pod : view.nodes.earlier) {
    if (pod->meta.deletion_time) {
      remove_if_stuck(*pod, view, plan);
    } else {
      plan.actions.push_back(DeletePod{pod->meta.name, pod->meta.uid, grace});
    }
  }
}

}  // namespace lockstep
