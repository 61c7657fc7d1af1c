// Counts, conditions and columns from pods.
#include "operator/plan/status.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/base/text.h"
#include "operator/plan/conditions.h"
#include "operator/plan/gang.h"
#include "operator/plan/last_words.h"
#include "operator/plan/master.h"
#include "operator/plan/progress.h"
#include "operator/plan/ranks.h"
#include "operator/plan/stall.h"
#include "operator/plan/workload_request.h"

namespace lockstep {
namespace {

constexpr std::size_t kLongestMessage = 1024;

// What a condition says beside its truth.
struct Why {
  std::string reason;
  std::string message;
};

NodeCounts count(const std::vector<const Pod*>& nodes) {
  NodeCounts counts;
  counts.desired = static_cast<int>(nodes.size());
  for (const Pod* pod : nodes) {
    if (pod && has_succeeded(*pod)) {
      ++counts.succeeded;
    } else if (pod && has_failed(*pod)) {
      ++counts.failed;
    } else if (pod && is_ready(*pod)) {
      ++counts.ready;
    } else {
      ++counts.pending;
    }
  }
  return counts;
}

Why why_pod_waits(const Pod& pod) {
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const ContainerState& container : *containers) {
      if (container.waiting_message.empty()) continue;
      return {container.waiting_reason,
              "pod " + pod.meta.name + ": " + head(container.waiting_message, kLongestMessage)};
    }
  }
  return {names::kNodesStarting, "pod " + pod.meta.name + " is starting"};
}

Why why_pod_is_unscheduled(const Pod& pod) {
  const PodCondition* scheduled = condition_of(pod, "PodScheduled");
  if (!scheduled || scheduled->message.empty()) {
    return {names::kWaitingForScheduler, "pod " + pod.meta.name + " waits for the scheduler"};
  }
  return {names::kUnschedulable,
          "pod " + pod.meta.name + ": " + head(scheduled->message, kLongestMessage)};
}

// The first node that keeps the job from running, the unscheduled before the starting.
Why why_nodes_wait(const std::vector<const Pod*>& nodes) {
  for (const Pod* pod : nodes) {
    if (pod && !is_scheduled(*pod)) return why_pod_is_unscheduled(*pod);
  }
  for (const Pod* pod : nodes) {
    if (pod && !is_ready(*pod) && !has_succeeded(*pod)) return why_pod_waits(*pod);
  }
  return {names::kWaitingForPods, "not all pods exist"};
}

Why why_pods_are_missing(const JobStatus& status, const Nodes& nodes, Time now) {
  if (const Condition* held = status.condition(names::kSuspended); held && held->status) {
    return {held->reason, held->message};
  }
  if (status.is(names::kNameConflict)) {
    return {names::kNameTaken, status.condition(names::kNameConflict)->message};
  }
  const Condition* before = status.condition(names::kPodsCreated);
  const bool was_refused = status.attempt_cause == AttemptCause::kPartialCreate && before &&
                           before->reason == names::kCreateRefused;
  if (was_refused) return {before->reason, before->message};
  if (!nodes.earlier.empty()) {
    return {names::kWaitingForOldPods, "pods of the attempt before are ending"};
  }
  if (status.next_restart_time && *status.next_restart_time > now) {
    return {names::kWaitingForBackoff,
            "the next attempt starts at " + format_time(*status.next_restart_time)};
  }
  return {names::kCreatingPods, "pods are being created"};
}

void observe_creation(JobStatus& status, const Nodes& nodes, Time now) {
  if (status.pods_created) {
    set_condition(status, names::kPodsCreated, true, names::kAllPodsCreated,
                  "every node has its pod", now);
    return;
  }
  const Why why = why_pods_are_missing(status, nodes, now);
  set_condition(status, names::kPodsCreated, false, why.reason, why.message, now);
}

// The kubelet says why it cannot pull an image and that it waits, in turns: only the first is news.
bool is_pause_between_pulls(const Condition* before, const Why& why) {
  return before && before->reason == "ErrImagePull" && why.reason == "ImagePullBackOff";
}

// Running, once true, lasts for the rest of the attempt: a loss ends the attempt.
void observe_running(JobStatus& status, const std::vector<const Pod*>& nodes, bool same_attempt,
                     Time now) {
  const bool all_run = status.nodes.ready + status.nodes.succeeded == status.nodes.desired;
  if (all_run) {
    set_condition(status, names::kRunning, true, names::kAllNodesRunning,
                  "all " + std::to_string(status.nodes.desired) + " nodes run", now);
    drop_condition(status, names::kRestarting);
  } else if (!same_attempt || !status.is(names::kRunning)) {
    const Why why = why_nodes_wait(nodes);
    if (is_pause_between_pulls(status.condition(names::kRunning), why)) return;
    set_condition(status, names::kRunning, false, why.reason, why.message, now);
  }
}

void observe_gang(JobStatus& status, const Observed& seen, Time now) {
  const JobSpec& spec = seen.job.spec;
  if (const std::string problem = why_no_gang(spec, seen.platform); !problem.empty()) {
    set_condition(status, names::kGangScheduled, false, names::kNoPodGroups, problem, now);
  } else if (spec.scheduling.gang != Gang::kNone) {
    set_condition(status, names::kGangScheduled, true, names::kPodGroupWanted,
                  "the scheduler is asked to place all nodes together, by a PodGroup of " +
                      std::string(pod_groups_of(spec, seen.platform)->group),
                  now);
  }
}

std::string reason_column(const JobStatus& status) {
  for (const char* type : {names::kFailed, names::kInvalid, names::kNameConflict}) {
    if (status.is(type)) return status.condition(type)->reason;
  }
  if (!status.is_finished() && status.is(names::kStalled)) return names::kStalled;
  for (const char* type : {names::kPodsCreated, names::kRunning}) {
    const Condition* condition = status.condition(type);
    if (!status.is_finished() && condition && !condition->status) return condition->reason;
  }
  return "";
}

void fill_columns(JobStatus& status) {
  const NodeCounts& nodes = status.nodes;
  status.display.nodes =
      std::to_string(nodes.ready + nodes.succeeded) + "/" + std::to_string(nodes.desired);
  status.display.restarts = std::to_string(status.restarts.failures + status.restarts.disruptions);
  status.display.reason = head(reason_column(status), 256);
  fill_progress_columns(status);
}

void observe_spec(JobStatus& status, const Observed& seen) {
  const TrainingJob& job = seen.job;
  status.display.queue = queue_of(job);
  status.world_size = ranks_of(job.spec, seen.platform.accelerators).world_size();
  status.master_address = master_address(job);
}

}  // namespace

JobStatus with_observations(JobStatus status, const Observed& seen, const Nodes& nodes, Time now) {
  status.observed_generation = seen.job.meta.generation;
  if (seen.job.faults.empty()) {
    drop_condition(status, names::kInvalid);
    const bool same_attempt = status.attempt == seen.job.status.attempt;
    const std::vector<const Pod*> current =
        same_attempt ? nodes.current : std::vector<const Pod*>(nodes.current.size());
    observe_spec(status, seen);
    status.nodes = count(current);
    observe_stall(status, seen, nodes, now);
    observe_progress(status, seen, nodes, now);
    if (!status.is_finished()) {
      observe_gang(status, seen, now);
      observe_creation(status, nodes, now);
      observe_running(status, current, same_attempt, now);
    }
  }
  for (Condition& condition : status.conditions) {
    condition.observed_generation = status.observed_generation;
  }
  status.phase = phase_of(status);
  fill_columns(status);
  return status;
}

std::string why_not_running(const JobStatus& status) {
  for (const char* type : {names::kPodsCreated, names::kRunning}) {
    const Condition* condition = status.condition(type);
    if (condition && !condition->status) return condition->message;
  }
  return "the nodes have not started";
}

}  // namespace lockstep
