// The pod of one node: the template, the shorthands over it, and what every node of a job needs.
#include "operator/plan/desired_pod.h"

#include <algorithm>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/environment.h"
#include "operator/plan/gang.h"
#include "operator/plan/launcher.h"
#include "operator/plan/master.h"
#include "operator/plan/ownership.h"
#include "operator/plan/placement.h"
#include "operator/plan/ranks.h"
#include "operator/plan/trainer_container.h"
#include "operator/plan/volumes.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr int kDefaultGraceSeconds = 60;
constexpr int kGroupOfVolumes = 65532;  // "nonroot" in most base images

void set_default(json& object, const char* key, json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

// Template values win over ours, at every depth.
void set_defaults(json& object, const char* key, json defaults) {
  if (object.contains(key)) defaults.merge_patch(object[key]);
  object[key] = std::move(defaults);
}

// Only node 0 listens for the others; under hostNetwork a declared port is a host port.
void add_master_port(json& trainer, int port) {
  for (const json& declared : fields::list(trainer, "ports")) {
    if (fields::integer(declared, "containerPort") == port) return;
  }
  trainer["ports"].push_back(
      {{"name", "lockstep-master"}, {"containerPort", port}, {"protocol", "TCP"}});
}

// We know that our image runs without privileges; a foreign one is left as its author wrote it.
void restrict_security(json& pod, json& trainer) {
  set_defaults(pod, "securityContext",
               {{"fsGroup", kGroupOfVolumes}, {"fsGroupChangePolicy", "OnRootMismatch"}});
  set_defaults(trainer, "securityContext",
               {{"runAsNonRoot", true},
                {"allowPrivilegeEscalation", false},
                {"capabilities", {{"drop", json::array({"ALL"})}}},
                {"seccompProfile", {{"type", "RuntimeDefault"}}}});
}

json complete_trainer(json& pod, const TrainingJob& job, int node_rank, const Platform& platform) {
  json trainer = trainer_container(job.spec, group_of(job.spec, node_rank));
  if (uses_our_image(job.spec)) {
    trainer["image"] = job.status.image.empty() ? platform.trainer_image : job.status.image;
    restrict_security(pod, trainer);
  }
  add_volumes(pod, trainer, job);
  if (job.spec.injects_launcher) inject_launcher(pod, trainer, platform);
  if (node_rank == 0) add_master_port(trainer, master_port(job));
  return trainer;
}

void add_environment(json& pod, const json& ours) {
  for (const char* kind : {"initContainers", "containers"}) {
    if (!pod.contains(kind)) continue;
    for (json& container : pod[kind]) {
      container["env"] =
          with_environment(environment_of(container, ours), fields::list(container, "env"));
      set_default(container, "terminationMessagePolicy", "FallbackToLogsOnError");
    }
  }
}

json pod_spec(const TrainingJob& job, int node_rank, const Platform& platform) {
  json pod = fields::member(job.spec.pod_template, "spec");
  if (!pod.is_object()) pod = json::object();
  pod["restartPolicy"] = "Never";
  pod["hostname"] = pod_name(job, node_rank);
  pod["subdomain"] = job.meta.name;
  set_default(pod, "terminationGracePeriodSeconds", kDefaultGraceSeconds);
  set_default(pod, "automountServiceAccountToken", false);
  if (fields::flag(pod, "hostNetwork")) set_default(pod, "dnsPolicy", "ClusterFirstWithHostNet");
  place(pod, job, group_of(job.spec, node_rank));
  pod["containers"] = merge_by_name(fields::list(pod, "containers"),
                                    json::array({complete_trainer(pod, job, node_rank, platform)}));
  const Ranks ranks = ranks_of(job.spec, platform.accelerators);
  add_environment(pod, environment(job, ranks, node_rank,
                                   fields::small_integer(pod, "terminationGracePeriodSeconds")));
  return pod;
}

json pod_metadata(const TrainingJob& job, int node_rank) {
  const json& source = fields::member(job.spec.pod_template, "metadata");
  json labels = fields::text_map(source, "labels");
  labels.update(job_labels(job));
  labels[names::kNodeRank] = std::to_string(node_rank);
  labels[names::kAttempt] = std::to_string(job.status.attempt);
  labels[names::kCompletionIndex] = std::to_string(node_rank);
  const std::string& group = group_of(job.spec, node_rank).name;
  if (!group.empty()) labels[names::kNodeGroup] = group;
  json annotations = fields::text_map(source, "annotations");
  annotations[names::kCompletionIndex] = std::to_string(node_rank);
  return {{"name", pod_name(job, node_rank)},
          {"namespace", job.meta.namespace_},
          {"labels", std::move(labels)},
          {"annotations", std::move(annotations)},
          {"ownerReferences", nlohmann::json::array({owner_reference(job)})}};
}

}  // namespace

json desired_pod(const TrainingJob& job, int node_rank, const Platform& platform) {
  json pod = {{"apiVersion", "v1"},
              {"kind", "Pod"},
              {"metadata", pod_metadata(job, node_rank)},
              {"spec", pod_spec(job, node_rank, platform)}};
  join_pod_group(pod, job, platform);
  return pod;
}

}  // namespace lockstep
