// The pod of one node: the template, the shorthands over it, and what every node of a job needs.
#include <algorithm>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/desired.h"
#include "operator/plan/environment.h"
#include "operator/plan/ownership.h"
#include "operator/plan/ranks.h"
#include "operator/plan/trainer_container.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr int kDefaultGraceSeconds = 60;
constexpr int kGroupOfVolumes = 65532;  // "nonroot" in most base images
constexpr char kSharedMemory[] = "/dev/shm";

void set_default(json& object, const char* key, json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

// Template values win over ours, at every depth.
void set_defaults(json& object, const char* key, json defaults) {
  if (object.contains(key)) defaults.merge_patch(object[key]);
  object[key] = std::move(defaults);
}

void add_volume(json& pod, json& trainer, json volume, json mount) {
  mount["name"] = volume["name"];
  pod["volumes"].push_back(std::move(volume));
  trainer["volumeMounts"].push_back(std::move(mount));
}

json claim_volume(const std::string& name, const std::string& claim, bool is_read_only = false) {
  json source = {{"claimName", claim}};
  if (is_read_only) source["readOnly"] = true;
  return {{"name", name}, {"persistentVolumeClaim", source}};
}

// Data loaders and NCCL need more than the 64 MiB of a container's default /dev/shm.
void add_shared_memory(json& pod, json& trainer) {
  for (const json& mount : fields::list(trainer, "volumeMounts")) {
    if (fields::text(mount, "mountPath") == kSharedMemory) return;
  }
  add_volume(pod, trainer, {{"name", "lockstep-shm"}, {"emptyDir", {{"medium", "Memory"}}}},
             {{"mountPath", kSharedMemory}});
}

void add_mounts(json& pod, json& trainer, const JobSpec& spec) {
  for (std::size_t i = 0; i < spec.mounts.size(); ++i) {
    const Mount& mount = spec.mounts[i];
    json where = {{"mountPath", mount.path}};
    if (mount.is_read_only) where["readOnly"] = true;
    add_volume(
        pod, trainer,
        claim_volume("lockstep-mount-" + std::to_string(i), mount.claim_name, mount.is_read_only),
        std::move(where));
  }
}

void add_checkpoints(json& pod, json& trainer, const TrainingJob& job) {
  if (!job.spec.checkpoints) return;
  const Checkpoints& checkpoints = *job.spec.checkpoints;
  const std::string folder = checkpoints.sub_path.empty() ? job.meta.name : checkpoints.sub_path;
  add_volume(pod, trainer, claim_volume("lockstep-checkpoints", checkpoints.claim_name),
             {{"mountPath", checkpoints.path}, {"subPath", folder}});
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

json complete_trainer(json& pod, const TrainingJob& job, int node_rank,
                      const PodDefaults& defaults) {
  json trainer = trainer_container(job.spec);
  if (uses_our_image(job.spec)) {
    trainer["image"] = job.status.image.empty() ? defaults.trainer_image : job.status.image;
    restrict_security(pod, trainer);
  }
  add_shared_memory(pod, trainer);
  add_mounts(pod, trainer, job.spec);
  add_checkpoints(pod, trainer, job);
  if (node_rank == 0) add_master_port(trainer, job.spec.master_port);
  return trainer;
}

void add_environment(json& pod, const json& ours) {
  for (const char* kind : {"initContainers", "containers"}) {
    if (!pod.contains(kind)) continue;
    for (json& container : pod[kind]) {
      container["env"] = with_environment(ours, fields::list(container, "env"));
      set_default(container, "terminationMessagePolicy", "FallbackToLogsOnError");
    }
  }
}

json pod_spec(const TrainingJob& job, int node_rank, const PodDefaults& defaults) {
  json pod = fields::member(job.spec.pod_template, "spec");
  if (!pod.is_object()) pod = json::object();
  pod["restartPolicy"] = "Never";
  pod["hostname"] = pod_name(job, node_rank);
  pod["subdomain"] = job.meta.name;
  set_default(pod, "terminationGracePeriodSeconds", kDefaultGraceSeconds);
  set_default(pod, "automountServiceAccountToken", false);
  const json trainer = complete_trainer(pod, job, node_rank, defaults);
  pod["containers"] = merge_by_name(fields::list(pod, "containers"), json::array({trainer}));
  const Ranks ranks = ranks_of(job.spec, trainer, defaults.accelerators);
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
  json annotations = fields::text_map(source, "annotations");
  annotations[names::kCompletionIndex] = std::to_string(node_rank);
  return {{"name", pod_name(job, node_rank)},
          {"namespace", job.meta.namespace_},
          {"labels", std::move(labels)},
          {"annotations", std::move(annotations)},
          {"ownerReferences", nlohmann::json::array({owner_reference(job)})}};
}

}  // namespace

std::vector<std::string> PodDefaults::default_accelerators() {
  return {"nvidia.com/gpu",     "nvidia.com/mig-*",   "amd.com/gpu",    "gpu.intel.com/*",
          "habana.ai/gaudi",    "huawei.com/Ascend*", "google.com/tpu", "aws.amazon.com/neuron",
          "cambricon.com/mlu*", "metax-tech.com/gpu"};
}

std::string pod_name(const TrainingJob& job, int node_rank) {
  return job.meta.name + "-" + std::to_string(node_rank);
}

json desired_pod(const TrainingJob& job, int node_rank, const PodDefaults& defaults) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", pod_metadata(job, node_rank)},
          {"spec", pod_spec(job, node_rank, defaults)}};
}

}  // namespace lockstep
