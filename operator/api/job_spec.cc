// Reads spec strictly: every value that makes no sense is refused with a sentence that names it.
#include "operator/api/job_spec.h"

#include "operator/api/fields.h"
#include "operator/api/strict.h"

namespace lockstep {
namespace {

using nlohmann::json;
using strict::refuse;

Result<json> read_config(const json& spec) {
  const json& value = fields::member(spec, "config");
  if (value.is_null()) return json();
  if (!value.is_object()) return refuse("spec.config", value, "an object");
  const std::size_t size = value.dump(-1, ' ', false, json::error_handler_t::replace).size();
  if (size <= kMaxConfigBytes) return value;
  return failure(Kind::kInvalid,
                 "spec.config takes " + std::to_string(size) +
                     " bytes as JSON, but at most 64 KiB fit: mount a ConfigMap instead");
}

Result<std::vector<Mount>> read_mounts(const json& spec) {
  std::vector<Mount> mounts;
  for (const json& entry : TRY(strict::objects(spec, "spec.", "mounts"))) {
    Mount mount{.claim_name = TRY(strict::text(entry, "spec.mounts[].", "claimName")),
                .path = TRY(strict::text(entry, "spec.mounts[].", "path")),
                .is_read_only = TRY(strict::flag(entry, "spec.mounts[].", "readOnly"))};
    if (mount.claim_name.empty() || mount.path.empty()) {
      return refuse("spec.mounts[]", entry, "both claimName and path");
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

Result<std::optional<Checkpoints>> read_checkpoints(const json& spec) {
  if (fields::member(spec, "checkpoints").is_null()) return std::optional<Checkpoints>();
  const json source = TRY(strict::object(spec, "spec.", "checkpoints"));
  Checkpoints checkpoints;
  checkpoints.claim_name = TRY(strict::text(source, "spec.checkpoints.", "claimName"));
  const std::string path = TRY(strict::text(source, "spec.checkpoints.", "path"));
  if (!path.empty()) checkpoints.path = path;
  checkpoints.sub_path = TRY(strict::text(source, "spec.checkpoints.", "subPath"));
  if (checkpoints.claim_name.empty()) {
    return refuse("spec.checkpoints", source, "the claimName of a PersistentVolumeClaim");
  }
  return checkpoints;
}

Result<SharedMemory> read_shared_memory(const json& spec) {
  const std::string where = "spec.sharedMemory.";
  const json source = TRY(strict::object(spec, "spec.", "sharedMemory"));
  SharedMemory memory;
  if (source.contains("enabled")) memory.is_enabled = TRY(strict::flag(source, where, "enabled"));
  const json& limit = fields::member(source, "sizeLimit");
  if (limit.is_null()) return memory;
  if (!limit.is_string() && !limit.is_number_integer()) {
    return refuse(where + "sizeLimit", limit, "a quantity, such as 8Gi");
  }
  memory.size_limit = limit.is_string() ? limit.get<std::string>() : limit.dump();
  return memory;
}

Result<bool> read_network_policy(const json& spec) {
  const std::string name = TRY(strict::text(spec, "spec.", "networkPolicy"));
  if (name.empty() || name == "JobOnly") return true;
  if (name == "None") return false;
  return refuse("spec.networkPolicy", name, "JobOnly or None");
}

constexpr std::pair<Gang, std::string_view> kGangs[] = {{Gang::kNone, "None"},
                                                        {Gang::kAuto, "Auto"},
                                                        {Gang::kVolcano, "Volcano"},
                                                        {Gang::kCoscheduling, "Coscheduling"},
                                                        {Gang::kNative, "Native"}};

Result<Gang> read_gang(const json& policy) {
  const std::string name = TRY(strict::text(policy, "spec.schedulingPolicy.", "gang"));
  if (name.empty()) return Gang::kNone;
  for (const auto& [gang, gangs_name] : kGangs) {
    if (name == gangs_name) return gang;
  }
  return refuse("spec.schedulingPolicy.gang", name, "None, Auto, Volcano, Coscheduling or Native");
}

Result<SchedulingPolicy> read_scheduling_policy(const json& spec) {
  const std::string where = "spec.schedulingPolicy.";
  const json source = TRY(strict::object(spec, "spec.", "schedulingPolicy"));
  SchedulingPolicy policy;
  policy.gang = TRY(read_gang(source));
  policy.queue = TRY(strict::text(source, where, "queue"));
  policy.priority_class_name = TRY(strict::text(source, where, "priorityClassName"));
  policy.schedule_timeout_seconds =
      TRY(strict::optional_integer(source, where, "scheduleTimeoutSeconds", {1, 31'536'000}));
  return policy;
}

// Only what the pod is built from; the API server judges the rest when the pod is created.
Result<json> read_pod_template(const json& spec) {
  json source = TRY(strict::object(spec, "spec.", "template"));
  const json metadata = TRY(strict::object(source, "spec.template.", "metadata"));
  TRY(strict::object(metadata, "spec.template.metadata.", "labels"));
  TRY(strict::object(metadata, "spec.template.metadata.", "annotations"));
  const std::string where = "spec.template.spec.";
  const json pod = TRY(strict::object(source, "spec.template.", "spec"));
  TRY(strict::named_objects(pod, where, "volumes"));
  for (const char* kind : {"containers", "initContainers"}) {
    for (const json& container : TRY(strict::named_objects(pod, where, kind))) {
      TRY(strict::named_objects(container, where + kind + "[].", "env"));
      TRY(strict::objects(container, where + kind + "[].", "volumeMounts"));
    }
  }
  return source;
}

}  // namespace

std::string_view gang_name(Gang gang) {
  for (const auto& [each, name] : kGangs) {
    if (each == gang) return name;
  }
  return "";
}

Result<JobSpec> parse_spec(const json& source) {
  if (!source.is_null() && !source.is_object()) return refuse("spec", source, "an object");
  JobSpec spec;
  spec.node_groups = TRY(parse_node_groups(source));
  spec.num_nodes = 0;
  for (const NodeGroup& group : spec.node_groups) spec.num_nodes += group.num_nodes;
  spec.master_port = TRY(strict::optional_integer(source, "spec.", "masterPort", {1024, 65535}));
  spec.image = TRY(strict::text(source, "spec.", "image"));
  spec.command = TRY(strict::strings(source, "spec.", "command"));
  spec.args = TRY(strict::strings(source, "spec.", "args"));
  spec.env = TRY(strict::named_objects(source, "spec.", "env"));
  spec.resources = TRY(strict::object(source, "spec.", "resourcesPerNode"));
  spec.config = TRY(read_config(source));
  spec.pod_template = TRY(read_pod_template(source));
  spec.mounts = TRY(read_mounts(source));
  spec.checkpoints = TRY(read_checkpoints(source));
  spec.shared_memory = TRY(read_shared_memory(source));
  spec.is_isolated = TRY(read_network_policy(source));
  spec.scheduling = TRY(read_scheduling_policy(source));
  spec.run_policy = TRY(parse_run_policy(source));
  return spec;
}

}  // namespace lockstep
