// Flavors, topology and the updates of admission checks, as Kueue lays them over the pods of the
// kinds that it knows itself.
#include "operator/plan/admission.h"

#include <algorithm>
#include <set>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/workload_request.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kPodSet[] = "kueue.x-k8s.io/podset";
constexpr char kWorkload[] = "kueue.x-k8s.io/workload";
constexpr char kTopologyGate[] = "kueue.x-k8s.io/topology";

// Each flavor once, though it may give several resources.
std::set<std::string> flavors_of(const json& assignment) {
  std::set<std::string> flavors;
  for (const auto& [resource, flavor] : fields::text_map(assignment, "flavors")) {
    flavors.insert(flavor);
  }
  return flavors;
}

void add_once(json& object, const char* key, const json& entries) {
  for (const json& entry : entries) {
    json& list = object[key];
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  }
}

void add_members(json& object, const char* key, const json& members) {
  if (members.is_object() && !members.empty()) object[key].update(members);
}

void add_flavor(json& pod_spec, const json& flavor) {
  const json& spec = fields::member(flavor, "spec");
  add_members(pod_spec, "nodeSelector", fields::member(spec, "nodeLabels"));
  add_once(pod_spec, "tolerations", fields::list(spec, "tolerations"));
}

// Kueue itself opens the gate, once it has chosen the pod's place in the topology.
void add_topology_gate(json& pod) {
  add_once(pod["spec"], "schedulingGates", json::array({{{"name", kTopologyGate}}}));
}

void add_update(json& pod, const json& update) {
  for (const char* key : {"labels", "annotations"}) {
    add_members(pod["metadata"], key, fields::member(update, key));
  }
  add_members(pod["spec"], "nodeSelector", fields::member(update, "nodeSelector"));
  add_once(pod["spec"], "tolerations", fields::list(update, "tolerations"));
}

}  // namespace

std::vector<ClusterObject> objects_to_read(const Observed& seen) {
  const bool is_queued = seen.platform.has_kueue && seen.job.faults.empty() &&
                         !queue_of(seen.job).empty() && !seen.job.status.is_finished();
  if (!is_queued) return {};
  const Companion* entry = workload_of(seen);
  std::set<ClusterObject> objects;
  if (const auto priority = priority_class_of(seen.job); priority && has_to_ask(seen)) {
    objects.insert(*priority);
  }
  const bool makes_pods =
      entry && entry->workload->is(kueue::kAdmitted) && !seen.job.status.pods_created;
  if (makes_pods) {
    for (const json& assignment : fields::list(entry->workload->admission, "podSetAssignments")) {
      for (const std::string& flavor : flavors_of(assignment)) {
        objects.insert({kResourceFlavors, flavor});
      }
    }
  }
  return {objects.begin(), objects.end()};
}

std::optional<ClusterObject> missing_object(const Observed& seen) {
  for (ClusterObject& object : objects_to_read(seen)) {
    if (!seen.cluster_objects.contains(object)) return std::move(object);
  }
  return std::nullopt;
}

void assign(json& pod, const Observed& seen, const NodeGroup& group) {
  const Companion* entry = workload_of(seen);
  if (!entry) return;
  const std::string pod_set = pod_set_name(group);
  pod["metadata"]["labels"][kPodSet] = pod_set;
  pod["metadata"]["annotations"][kWorkload] = entry->meta.name;
  for (const json& assignment : fields::list(entry->workload->admission, "podSetAssignments")) {
    if (fields::text(assignment, "name") != pod_set) continue;
    for (const std::string& flavor : flavors_of(assignment)) {
      const auto found = seen.cluster_objects.find({kResourceFlavors, flavor});
      if (found != seen.cluster_objects.end()) add_flavor(pod["spec"], found->second);
    }
    if (assignment.contains("topologyAssignment")) add_topology_gate(pod);
  }
  for (const json& check : entry->workload->admission_checks) {
    for (const json& update : fields::list(check, "podSetUpdates")) {
      if (fields::text(update, "name") == pod_set) add_update(pod, update);
    }
  }
}

}  // namespace lockstep
