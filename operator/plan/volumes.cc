// Shared memory, data and checkpoints.
#include "operator/plan/volumes.h"

#include <algorithm>

#include "operator/api/fields.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kSharedMemory[] = "/dev/shm";

bool is_mounted(const json& trainer, const std::string& path) {
  const json& mounts = fields::list(trainer, "volumeMounts");
  return std::any_of(mounts.begin(), mounts.end(),
                     [&](const json& mount) { return fields::text(mount, "mountPath") == path; });
}

// Instead of what the template mounts at that path.
void add_volume(json& pod_spec, json& trainer, json volume, json mount) {
  mount["name"] = volume["name"];
  pod_spec["volumes"].push_back(std::move(volume));
  json mounts = json::array();
  for (const json& each : fields::list(trainer, "volumeMounts")) {
    if (fields::text(each, "mountPath") != mount["mountPath"]) mounts.push_back(each);
  }
  mounts.push_back(std::move(mount));
  trainer["volumeMounts"] = std::move(mounts);
}

json claim_volume(const std::string& name, const std::string& claim, bool is_read_only = false) {
  json source = {{"claimName", claim}};
  if (is_read_only) source["readOnly"] = true;
  return {{"name", name}, {"persistentVolumeClaim", source}};
}

// Data loaders and NCCL need more than the 64 MiB of a container's default /dev/shm.
void add_shared_memory(json& pod_spec, json& trainer, const SharedMemory& memory) {
  if (!memory.is_enabled || is_mounted(trainer, kSharedMemory)) return;
  json source = {{"medium", "Memory"}};
  if (!memory.size_limit.empty()) source["sizeLimit"] = memory.size_limit;
  add_volume(pod_spec, trainer, {{"name", "lockstep-shm"}, {"emptyDir", source}},
             {{"mountPath", kSharedMemory}});
}

void add_mounts(json& pod_spec, json& trainer, const std::vector<Mount>& mounts) {
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const Mount& mount = mounts[i];
    json where = {{"mountPath", mount.path}};
    if (mount.is_read_only) where["readOnly"] = true;
    add_volume(
        pod_spec, trainer,
        claim_volume("lockstep-mount-" + std::to_string(i), mount.claim_name, mount.is_read_only),
        std::move(where));
  }
}

void add_checkpoints(json& pod_spec, json& trainer, const TrainingJob& job) {
  if (!job.spec.checkpoints) return;
  const Checkpoints& checkpoints = *job.spec.checkpoints;
  const std::string folder = checkpoints.sub_path.empty() ? job.meta.name : checkpoints.sub_path;
  add_volume(pod_spec, trainer, claim_volume("lockstep-checkpoints", checkpoints.claim_name),
             {{"mountPath", checkpoints.path}, {"subPath", folder}});
}

}  // namespace

void add_volumes(json& pod_spec, json& trainer, const TrainingJob& job) {
  add_mounts(pod_spec, trainer, job.spec.mounts);
  add_checkpoints(pod_spec, trainer, job);
  add_shared_memory(pod_spec, trainer, job.spec.shared_memory);
}

}  // namespace lockstep
