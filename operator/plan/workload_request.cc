// The spec of a Workload: one pod set for each node group.
#include "operator/plan/workload_request.h"

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/companions.h"
#include "operator/plan/desired_pod.h"
#include "operator/plan/hash.h"
#include "operator/plan/ownership.h"

namespace lockstep {
namespace {

using nlohmann::json;

// Kueue's annotations of a pod template, and the fields of a topologyRequest that they fill.
constexpr std::pair<const char*, const char*> kTopologies[] = {
    {"kueue.x-k8s.io/podset-required-topology", "required"},
    {"kueue.x-k8s.io/podset-preferred-topology", "preferred"},
    {"kueue.x-k8s.io/podset-unconstrained-topology", "unconstrained"}};

// Without what differs between the nodes of a group or between attempts, and without what costs
// space and no quota.
json template_of(json pod) {
  json& metadata = pod["metadata"];
  for (const char* label : {names::kNodeRank, names::kAttempt, names::kCompletionIndex}) {
    metadata["labels"].erase(label);
  }
  metadata["annotations"].erase(names::kCompletionIndex);
  json& spec = pod["spec"];
  for (const char* key : {"hostname", "subdomain", "schedulingGroup"}) spec.erase(key);
  for (const char* kind : {"initContainers", "containers"}) {
    if (!spec.contains(kind)) continue;
    for (json& container : spec[kind]) {
      for (const char* key : {"env", "ports"}) container.erase(key);
    }
  }
  return {{"metadata", {{"labels", metadata["labels"]}, {"annotations", metadata["annotations"]}}},
          {"spec", spec}};
}

json topology_request(const json& pod_template) {
  const auto annotations =
      fields::text_map(fields::member(pod_template, "metadata"), "annotations");
  for (const auto& [annotation, field] : kTopologies) {
    const auto found = annotations.find(annotation);
    if (found == annotations.end()) continue;
    json request = {{"podIndexLabel", names::kCompletionIndex}};
    if (std::string_view(field) == "unconstrained") {
      request[field] = found->second == "true";
    } else {
      request[field] = found->second;
    }
    return request;
  }
  return nullptr;
}

json pod_set(const TrainingJob& job, const NodeGroup& group, int first_rank,
             const Platform& platform) {
  json pods = {{"name", pod_set_name(group)},
               {"count", group.num_nodes},
               {"template", template_of(desired_pod(job, first_rank, platform))}};
  json topology = topology_request(pods["template"]);
  if (!topology.is_null()) pods["topologyRequest"] = std::move(topology);
  return pods;
}

std::string label(const TrainingJob& job, const char* name) {
  const auto found = job.meta.labels.find(name);
  return found == job.meta.labels.end() ? "" : found->second;
}

}  // namespace

std::string queue_of(const TrainingJob& job) { return label(job, names::kQueueName); }

std::string pod_set_name(const NodeGroup& group) {
  return group.name.empty() ? "main" : group.name;
}

std::optional<ClusterObject> priority_class_of(const TrainingJob& job) {
  if (const std::string name = label(job, names::kQueuePriority); !name.empty()) {
    return ClusterObject{kWorkloadPriorityClasses, name};
  }
  std::string name = job.spec.scheduling.priority_class_name;
  if (name.empty()) {
    name = fields::text(fields::member(job.spec.pod_template, "spec"), "priorityClassName");
  }
  if (name.empty()) return std::nullopt;
  return ClusterObject{kPriorityClasses, name};
}

json workload_spec(const TrainingJob& job, const Platform& platform) {
  json spec = {{"queueName", queue_of(job)}, {"podSets", json::array()}};
  int first_rank = 0;
  for (const NodeGroup& group : job.spec.node_groups) {
    spec["podSets"].push_back(pod_set(job, group, first_rank, platform));
    first_rank += group.num_nodes;
  }
  if (const auto priority = priority_class_of(job)) {
    spec["priorityClassRef"] = {{"group", priority->resource.group},
                                {"kind", priority->resource.kind},
                                {"name", priority->name}};
  }
  return spec;
}

Create desired_workload(const TrainingJob& job, const Platform& platform) {
  const bool is_suspended = job.spec.run_policy.is_suspended;
  json spec = workload_spec(job, platform);
  json annotations = {{names::kQueueRequest, fingerprint(spec)}};
  if (is_suspended) annotations[names::kSuspendedByUser] = "true";
  spec["active"] = !is_suspended;
  Create wanted = companion(job, kWorkloads, std::move(spec));
  wanted.body["metadata"]["annotations"] = std::move(annotations);
  return wanted;
}

std::string fingerprint(const json& workload_spec) {
  const std::string text = workload_spec.dump(-1, ' ', false, json::error_handler_t::replace);
  return std::to_string(stable_hash(text));
}

const Companion* workload_of(const Observed& seen) {
  for (const Companion& each : seen.companions) {
    const bool is_its_own = each.meta.name == seen.job.meta.name && owns(seen.job, each.meta);
    if (each.workload && is_its_own) return &each;
  }
  return nullptr;
}

bool has_to_ask(const Observed& seen) {
  const Companion* entry = workload_of(seen);
  if (!entry) return true;
  if (entry->workload->is(kueue::kQuotaReserved)) return false;
  const auto asked = entry->meta.annotations.find(names::kQueueRequest);
  return asked == entry->meta.annotations.end() ||
         asked->second != fingerprint(workload_spec(seen.job, seen.platform));
}

}  // namespace lockstep
