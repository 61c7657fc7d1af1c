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

Result<Mount> read_mount(const json& source) {
  Mount mount{.claim_name = TRY(strict::text(source, "spec.mounts[].", "claimName")),
              .path = TRY(strict::text(source, "spec.mounts[].", "path")),
              .is_read_only = TRY(strict::flag(source, "spec.mounts[].", "readOnly"))};
  if (!mount.claim_name.empty() && !mount.path.empty()) return mount;
  return refuse("spec.mounts[]", source, "both claimName and path");
}

std::vector<Mount> read_mounts(const json& spec, Faults& faults) {
  std::vector<Mount> mounts;
  for (const json& entry : faults.take(strict::objects(spec, "spec.", "mounts"))) {
    if (Result<Mount> mount = read_mount(entry)) {
      mounts.push_back(std::move(*mount));
    } else {
      faults.note(tl::unexpected(std::move(mount).error()));
    }
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
  if (!memory.is_enabled) {
    return failure(Kind::kInvalid,
                   where +
                       "sizeLimit: while enabled is false there is nothing to limit, so leave "
                       "one of them out");
  }
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

Result<bool> read_launcher(const json& spec) {
  const std::string name = TRY(strict::text(spec, "spec.", "launcher"));
  if (name.empty() || name == "FromImage") return false;
  if (name == "Inject") return true;
  return refuse("spec.launcher", name, "FromImage or Inject");
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

// What one scheduler alone reads, and another would ignore.
Result<void> check_queue(const SchedulingPolicy& policy) {
  const bool is_read = policy.gang == Gang::kVolcano || policy.gang == Gang::kAuto;
  if (policy.queue.empty() || is_read) return {};
  return failure(Kind::kInvalid,
                 "spec.schedulingPolicy.queue: the queue is Volcano's, so write gang Volcano or "
                 "Auto beside it, or leave it out; the label kueue.x-k8s.io/queue-name names one "
                 "of Kueue");
}

Result<void> check_schedule_timeout(const SchedulingPolicy& policy) {
  const bool is_read = policy.gang == Gang::kCoscheduling || policy.gang == Gang::kAuto;
  if (!policy.schedule_timeout_seconds || is_read) return {};
  return failure(Kind::kInvalid,
                 "spec.schedulingPolicy.scheduleTimeoutSeconds: the time is coscheduling's, so "
                 "write gang Coscheduling or Auto beside it, or leave it out");
}

SchedulingPolicy read_scheduling_policy(const json& spec, Faults& faults) {
  const std::string where = "spec.schedulingPolicy.";
  const json source = faults.take(strict::object(spec, "spec.", "schedulingPolicy"));
  SchedulingPolicy policy;
  policy.gang = faults.take(read_gang(source), Gang::kAuto);
  policy.queue = faults.take(strict::text(source, where, "queue"));
  policy.priority_class_name = faults.take(strict::text(source, where, "priorityClassName"));
  policy.schedule_timeout_seconds = faults.take(
      strict::optional_integer(source, where, "scheduleTimeoutSeconds", {1, 31'536'000}));
  faults.note(check_queue(policy));
  faults.note(check_schedule_timeout(policy));
  return policy;
}

void read_containers(const json& pod, const char* kind, Faults& faults) {
  const std::string where = "spec.template.spec.";
  for (const json& container : faults.take(strict::named_objects(pod, where, kind))) {
    faults.take(strict::named_objects(container, where + kind + "[].", "env"));
    faults.take(strict::objects(container, where + kind + "[].", "volumeMounts"));
  }
}

// Only what the pod is built from; the API server judges the rest when the pod is created.
json read_pod_template(const json& spec, Faults& faults) {
  json source = faults.take(strict::object(spec, "spec.", "template"));
  const json metadata = faults.take(strict::object(source, "spec.template.", "metadata"));
  faults.take(strict::object(metadata, "spec.template.metadata.", "labels"));
  faults.take(strict::object(metadata, "spec.template.metadata.", "annotations"));
  const json pod = faults.take(strict::object(source, "spec.template.", "spec"));
  faults.take(strict::named_objects(pod, "spec.template.spec.", "volumes"));
  read_containers(pod, "containers", faults);
  read_containers(pod, "initContainers", faults);
  return source;
}

}  // namespace

std::string_view gang_name(Gang gang) {
  for (const auto& [each, name] : kGangs) {
    if (each == gang) return name;
  }
  return "";
}

JobSpec parse_spec(const json& source, Faults& faults) {
  JobSpec spec;
  if (!source.is_null() && !source.is_object()) {
    faults.note(refuse("spec", source, "an object"));
    return spec;
  }
  spec.node_groups = parse_node_groups(source, faults);
  spec.num_nodes = 0;
  for (const NodeGroup& group : spec.node_groups) spec.num_nodes += group.num_nodes;
  spec.master_port =
      faults.take(strict::optional_integer(source, "spec.", "masterPort", {1024, 65535}));
  spec.image = faults.take(strict::text(source, "spec.", "image"));
  spec.command = faults.take(strict::strings(source, "spec.", "command"));
  spec.args = faults.take(strict::strings(source, "spec.", "args"));
  spec.injects_launcher = faults.take(read_launcher(source));
  spec.env = faults.take(strict::named_objects(source, "spec.", "env"));
  spec.resources = faults.take(strict::object(source, "spec.", "resourcesPerNode"));
  spec.config = faults.take(read_config(source));
  spec.pod_template = read_pod_template(source, faults);
  spec.mounts = read_mounts(source, faults);
  spec.checkpoints = faults.take(read_checkpoints(source));
  spec.shared_memory = faults.take(read_shared_memory(source));
  spec.is_isolated = faults.take(read_network_policy(source), true);
  spec.scheduling = read_scheduling_policy(source, faults);
  spec.run_policy = parse_run_policy(source, faults);
  return spec;
}

}  // namespace lockstep
