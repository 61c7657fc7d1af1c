// Reads spec strictly: every value that makes no sense is refused with a sentence that names it.
#include "operator/api/job_spec.h"

#include <iterator>

#include "operator/api/fields.h"

namespace lockstep {
namespace {

using nlohmann::json;

// "spec.numNodes is 0: write ..."
tl::unexpected<Error> refuse(const std::string& where, const json& value, std::string_view advice) {
  const std::string shown = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return failure(Kind::kInvalid, where + " is " +
                                     (shown.size() > 80 ? shown.substr(0, 77) + "..." : shown) +
                                     ": write " + std::string(advice));
}

Result<int> read_integer(const json& object, const std::string& where, const char* key, int low,
                         int high, int fallback) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return fallback;
  if (value.is_number_integer() && value >= low && value <= high) return value.get<int>();
  return refuse(where + key, value,
                "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

Result<std::string> read_text(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return std::string();
  if (value.is_string()) return value.get<std::string>();
  return refuse(where + key, value, "a string");
}

Result<bool> read_flag(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  return refuse(where + key, value, "true or false");
}

Result<json> read_object(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return json::object();
  if (value.is_object()) return value;
  return refuse(where + key, value, "an object");
}

Result<json> read_objects(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return json::array();
  if (!value.is_array()) return refuse(where + key, value, "a list of objects");
  for (const json& entry : value) {
    if (!entry.is_object()) return refuse(where + key + "[]", entry, "an object");
  }
  return value;
}

// Entries that are merged by name need one.
Result<json> read_named_objects(const json& object, const std::string& where, const char* key) {
  json list = TRY(read_objects(object, where, key));
  for (const json& entry : list) {
    if (fields::text(entry, "name").empty()) {
      return refuse(where + key + "[]", entry, "an entry with a name");
    }
  }
  return list;
}

Result<std::vector<std::string>> read_strings(const json& object, const std::string& where,
                                              const char* key) {
  std::vector<std::string> strings;
  const json& value = fields::member(object, key);
  if (value.is_null()) return strings;
  if (!value.is_array()) return refuse(where + key, value, "a list of strings");
  for (const json& entry : value) {
    if (!entry.is_string()) return refuse(where + key + "[]", entry, "a string, in quotes");
    strings.push_back(entry.get<std::string>());
  }
  return strings;
}

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
  for (const json& entry : TRY(read_objects(spec, "spec.", "mounts"))) {
    Mount mount{.claim_name = TRY(read_text(entry, "spec.mounts[].", "claimName")),
                .path = TRY(read_text(entry, "spec.mounts[].", "path")),
                .is_read_only = TRY(read_flag(entry, "spec.mounts[].", "readOnly"))};
    if (mount.claim_name.empty() || mount.path.empty()) {
      return refuse("spec.mounts[]", entry, "both claimName and path");
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

Result<std::optional<Checkpoints>> read_checkpoints(const json& spec) {
  if (fields::member(spec, "checkpoints").is_null()) return std::optional<Checkpoints>();
  const json source = TRY(read_object(spec, "spec.", "checkpoints"));
  Checkpoints checkpoints;
  checkpoints.claim_name = TRY(read_text(source, "spec.checkpoints.", "claimName"));
  const std::string path = TRY(read_text(source, "spec.checkpoints.", "path"));
  if (!path.empty()) checkpoints.path = path;
  checkpoints.sub_path = TRY(read_text(source, "spec.checkpoints.", "subPath"));
  if (checkpoints.claim_name.empty()) {
    return refuse("spec.checkpoints", source, "the claimName of a PersistentVolumeClaim");
  }
  return checkpoints;
}

Result<CleanPodPolicy> read_clean_pod_policy(const json& policy) {
  const std::string name = TRY(read_text(policy, "spec.runPolicy.", "cleanPodPolicy"));
  if (name.empty() || name == "Running") return CleanPodPolicy::kRunning;
  if (name == "All") return CleanPodPolicy::kAll;
  if (name == "None") return CleanPodPolicy::kNone;
  return refuse("spec.runPolicy.cleanPodPolicy", name, "Running, All or None");
}

Result<RunPolicy> read_run_policy(const json& spec) {
  const std::string where = "spec.runPolicy.";
  const json source = TRY(read_object(spec, "spec.", "runPolicy"));
  RunPolicy policy;
  policy.is_suspended = TRY(read_flag(source, where, "suspend"));
  policy.managed_by = TRY(read_text(source, where, "managedBy"));
  policy.backoff_limit =
      TRY(read_integer(source, where, "backoffLimit", 0, 1'000'000, policy.backoff_limit));
  policy.startup_deadline_seconds = TRY(read_integer(source, where, "startupDeadlineSeconds", 1,
                                                     31'536'000, policy.startup_deadline_seconds));
  policy.clean_pod_policy = TRY(read_clean_pod_policy(source));
  return policy;
}

// Only what the pod is built from; the API server judges the rest when the pod is created.
Result<json> read_pod_template(const json& spec) {
  json source = TRY(read_object(spec, "spec.", "template"));
  const json metadata = TRY(read_object(source, "spec.template.", "metadata"));
  TRY(read_object(metadata, "spec.template.metadata.", "labels"));
  TRY(read_object(metadata, "spec.template.metadata.", "annotations"));
  const std::string where = "spec.template.spec.";
  const json pod = TRY(read_object(source, "spec.template.", "spec"));
  TRY(read_named_objects(pod, where, "volumes"));
  for (const char* kind : {"containers", "initContainers"}) {
    for (const json& container : TRY(read_named_objects(pod, where, kind))) {
      TRY(read_named_objects(container, where + kind + "[].", "env"));
      TRY(read_objects(container, where + kind + "[].", "volumeMounts"));
    }
  }
  return source;
}

}  // namespace

Result<JobSpec> parse_spec(const json& source) {
  if (!source.is_null() && !source.is_object()) return refuse("spec", source, "an object");
  JobSpec spec;
  spec.num_nodes = TRY(read_integer(source, "spec.", "numNodes", 1, 4096, spec.num_nodes));
  spec.proc_per_node = TRY(read_proc_per_node(source));
  spec.master_port =
      TRY(read_integer(source, "spec.", "masterPort", 1024, 65535, spec.master_port));
  spec.image = TRY(read_text(source, "spec.", "image"));
  spec.command = TRY(read_strings(source, "spec.", "command"));
  spec.args = TRY(read_strings(source, "spec.", "args"));
  spec.env = TRY(read_named_objects(source, "spec.", "env"));
  spec.resources = TRY(read_object(source, "spec.", "resourcesPerNode"));
  spec.config = TRY(read_config(source));
  spec.pod_template = TRY(read_pod_template(source));
  spec.mounts = TRY(read_mounts(source));
  spec.checkpoints = TRY(read_checkpoints(source));
  spec.run_policy = TRY(read_run_policy(source));
  return spec;
}

}  // namespace lockstep
