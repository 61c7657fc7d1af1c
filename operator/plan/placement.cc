// Node selectors, tolerations, affinity, priority and spread.
#include "operator/plan/placement.h"

#include "operator/api/fields.h"
#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;

void add_to_list(json& object, const char* key, const json& entries) {
  for (const json& entry : entries) object[key].push_back(entry);
}

// Softly: two nodes of a job on one machine are better than a job that waits.
void spread(json& pod_spec, const TrainingJob& job) {
  if (job.spec.num_nodes == 1 || pod_spec.contains("topologySpreadConstraints")) return;
  pod_spec["topologySpreadConstraints"] =
      json::array({{{"maxSkew", 1},
                    {"topologyKey", "kubernetes.io/hostname"},
                    {"whenUnsatisfiable", "ScheduleAnyway"},
                    {"labelSelector", {{"matchLabels", {{names::kJobUid, job.meta.uid}}}}}}});
}

}  // namespace

void place(json& pod_spec, const TrainingJob& job, const NodeGroup& group) {
  if (!group.node_selector.empty()) pod_spec["nodeSelector"].merge_patch(group.node_selector);
  add_to_list(pod_spec, "tolerations", group.tolerations);
  if (!group.affinity.empty()) pod_spec["affinity"] = group.affinity;
  const std::string& priority = job.spec.scheduling.priority_class_name;
  if (!priority.empty()) pod_spec["priorityClassName"] = priority;
  spread(pod_spec, job);
}

}  // namespace lockstep
