// Reads spec strictly: every value that makes no sense is refused with a sentence that names it.
#include "operator/api/job_spec.h"

#include "operator/api/fields.h"
#include "operator/api/strict.h"

namespace lockstep {
namespace {

using nlohmann::json;
using strict::refuse;

Result<std::optional<int>> read_proc_per_node(const json& spec) {
  const json& value = fields::member(spec, "procPerNode");
  if (value.is_null() || value == "auto") return std::optional<int>();
  if (value.is_number_integer() && value >= 1 && value <= 64) return value.get<int>();
  return refuse("spec.procPerNode", value, "a whole number from 1 to 64, or auto");
}

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

Result<JobSpec> parse_spec(const json& source) {
  if (!source.is_null() && !source.is_object()) return refuse("spec", source, "an object");
  JobSpec spec;
  spec.num_nodes = TRY(strict::integer(source, "spec.", "numNodes", {1, 4096}, spec.num_nodes));
  spec.proc_per_node = TRY(read_proc_per_node(source));
  spec.master_port =
      TRY(strict::integer(source, "spec.", "masterPort", {1024, 65535}, spec.master_port));
  spec.image = TRY(strict::text(source, "spec.", "image"));
  spec.command = TRY(strict::strings(source, "spec.", "command"));
  spec.args = TRY(strict::strings(source, "spec.", "args"));
  spec.env = TRY(strict::named_objects(source, "spec.", "env"));
  spec.resources = TRY(strict::object(source, "spec.", "resourcesPerNode"));
  spec.config = TRY(read_config(source));
  spec.pod_template = TRY(read_pod_template(source));
  spec.mounts = TRY(read_mounts(source));
  spec.checkpoints = TRY(read_checkpoints(source));
  spec.run_policy = TRY(parse_run_policy(source));
  return spec;
}

}  // namespace lockstep
