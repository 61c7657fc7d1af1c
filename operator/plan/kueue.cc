// The Workload of a job: asked for once, then kept up to date.
#include "operator/plan/kueue.h"

#include <algorithm>
#include <vector>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/admission.h"
#include "operator/plan/ownership.h"
#include "operator/plan/workload_request.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kMissingRetry{30};

struct Entry {
  const ObjectMeta& meta;
  const Workload& workload;
};

bool has_pods(const View& view) { return view.nodes.exist() || !view.nodes.earlier.empty(); }

bool has_running_pods(const View& view) {
  return std::any_of(view.seen.pods.begin(), view.seen.pods.end(),
                     [&](const Pod& pod) { return owns(view.job, pod.meta) && !has_ended(pod); });
}

bool is_suspended(const View& view) { return view.job.spec.run_policy.is_suspended; }

bool is_marked_suspended(const Entry& entry) {
  return entry.meta.annotations.contains(names::kSuspendedByUser);
}

// The spec with the value of its priority class; null while the class is not known.
json request(const View& view) {
  json spec = workload_spec(view.job, view.seen.platform);
  if (const auto priority = priority_class_of(view.job)) {
    const auto found = view.seen.cluster_objects.find(*priority);
    if (found == view.seen.cluster_objects.end()) return nullptr;
    spec["priority"] = fields::integer(found->second, "value");
  }
  return spec;
}

json annotations(const View& view) {
  return {{names::kQueueRequest, fingerprint(workload_spec(view.job, view.seen.platform))}};
}

// Pods that lost their Workload still use what it gave: they go first.
void ask(const View& view, Plan& plan) {
  if (view.status.is_finished() || has_pods(view)) return;
  if (const auto retry = view.status.create_retry_time; retry && *retry > view.now) {
    return look_again_at(plan, *retry);
  }
  const json spec = request(view);
  if (spec.is_null() || !view.seen.refused.empty()) return;
  Create wanted = desired_workload(view.job, view.seen.platform);
  wanted.body["spec"].update(spec);
  plan.actions.push_back(std::move(wanted));
}

void patch(const View& view, const Entry& entry, json change, bool is_of_status, Plan& plan) {
  change["metadata"]["resourceVersion"] = entry.meta.resource_version;
  plan.actions.push_back(Patch{kWorkloads, view.job.meta.name, is_of_status, std::move(change)});
}

void patch_conditions(const View& view, const Entry& entry, const std::vector<Condition>& changes,
                      Plan& plan, json status = json::object()) {
  status["conditions"] = entry.workload.conditions;
  for (const Condition& change : changes) set_condition(status["conditions"], change);
  patch(view, entry, {{"status", std::move(status)}}, true, plan);
}

// In place: the Workload keeps its age, and with it its place in the queue.
void ask_anew(const View& view, const Entry& entry, Plan& plan) {
  json spec = request(view);
  if (spec.is_null()) return;
  for (const char* key : {"priorityClassRef", "priority"}) {
    if (!spec.contains(key)) spec[key] = nullptr;
  }
  patch(view, entry,
        {{"metadata", {{"annotations", annotations(view)}}}, {"spec", std::move(spec)}}, false,
        plan);
}

// Kueue and administrators deactivate Workloads too; only what the user's suspension did is undone.
void pass_suspension_on(const View& view, const Entry& entry, Plan& plan) {
  const json mark = is_suspended(view) ? json("true") : json(nullptr);
  patch(view, entry,
        {{"metadata", {{"annotations", {{names::kSuspendedByUser, mark}}}}},
         {"spec", {{"active", !is_suspended(view)}}}},
        false, plan);
}

bool gives_way(const Workload& workload) {
  return workload.is(kueue::kEvicted) && workload.is(kueue::kQuotaReserved);
}

Condition condition(const View& view, const Entry& entry, const char* type, bool value,
                    const std::string& reason, const std::string& message) {
  return {.type = type,
          .status = value,
          .reason = reason,
          .message = message,
          .last_transition = view.now,
          .observed_generation = entry.meta.generation};
}

void finish(const View& view, const Entry& entry, Plan& plan) {
  const bool is_complete = view.status.is(names::kComplete);
  const Condition& end = *view.status.condition(is_complete ? names::kComplete : names::kFailed);
  patch_conditions(view, entry,
                   {condition(view, entry, kueue::kFinished, true,
                              is_complete ? "Succeeded" : "Failed", end.message)},
                   plan);
}

// Gives the quota back, now that nothing uses it. Kueue queues the job again at once only where the
// eviction was no fault of the job; else it waits for its own back-off.
void release(const View& view, const Entry& entry, Plan& plan) {
  const std::string cause = entry.workload.reason(kueue::kEvicted);
  const std::string why = entry.workload.message(kueue::kEvicted);
  const bool queues_at_once = cause == "Preempted" || cause == "NodeFailures";
  patch_conditions(view, entry,
                   {condition(view, entry, kueue::kRequeued, queues_at_once, cause, why),
                    condition(view, entry, kueue::kQuotaReserved, false, "Pending", why),
                    condition(view, entry, kueue::kAdmitted, false, "NoReservation",
                              "The workload has no reservation")},
                   plan, {{"admission", nullptr}});
}

void tell_readiness(const View& view, const Entry& entry, Plan& plan) {
  const Workload& workload = entry.workload;
  const bool is_admitted = workload.is(kueue::kAdmitted);
  const bool is_ready = is_admitted && view.status.is(names::kRunning);
  if (is_ready == workload.is(kueue::kPodsReady)) return;
  const std::string before = workload.reason(kueue::kPodsReady);
  const bool was_lost = before == "WaitForRecovery" || before == "Recovered";
  const std::string reason = is_ready      ? (was_lost ? "Recovered" : "Started")
                             : is_admitted ? "WaitForRecovery"
                                           : "WaitForStart";
  patch_conditions(view, entry,
                   {condition(view, entry, kueue::kPodsReady, is_ready, reason,
                              is_ready ? "all nodes run" : "not all nodes run")},
                   plan);
}

}  // namespace

// One change a pass: each is conditional on the version that it was made from.
void tell_kueue(const View& view, Plan& plan) {
  const Companion* found = workload_of(view.seen);
  if (!view.seen.platform.has_kueue || (queue_of(view.job).empty() && !found)) return;
  // Nobody watches cluster-wide objects.
  if (missing_object(view.seen)) look_again_at(plan, view.now + kMissingRetry);
  if (!found) return ask(view, plan);
  const Entry entry{found->meta, *found->workload};
  if (entry.workload.is(kueue::kFinished)) return;
  if (view.status.is_finished()) {
    if (!has_running_pods(view)) finish(view, entry, plan);
    return;
  }
  if (queue_of(view.job).empty()) return;  // the label was taken away: the quota is kept to the end
  if (is_suspended(view) != is_marked_suspended(entry))
    return pass_suspension_on(view, entry, plan);
  if (gives_way(entry.workload)) {
    if (!has_pods(view)) release(view, entry, plan);
    return;
  }
  if (has_to_ask(view.seen)) return ask_anew(view, entry, plan);
  tell_readiness(view, entry, plan);
}

}  // namespace lockstep
