// Names that the operator gives, what restarts, and numbers of devices.
#include "operator/api/pod_rules.h"

#include <algorithm>
#include <string>
#include <vector>

#include "operator/api/fields.h"
#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;

const std::string kPod = "spec.template.spec.";
constexpr char kOurPrefix[] = "lockstep-";

// The template's container that trains; null where it has none.
const json& trainer_of(const json& pod) {
  static const json kNone;
  for (const json& container : fields::list(pod, "containers")) {
    if (fields::text(container, "name") == names::kTrainerContainer) return container;
  }
  return kNone;
}

tl::unexpected<Error> broken(const std::string& where, const std::string& sentence) {
  return failure(Kind::kInvalid, where + ": " + sentence);
}

Result<void> check_restart_policy(const std::string& where, const json& owner) {
  const std::string policy = fields::text(owner, "restartPolicy");
  if (policy.empty() || policy == "Never") return {};
  return broken(where + "restartPolicy",
                "write Never or leave it out: a lost node restarts all nodes, which the operator "
                "does");
}

Result<void> check_is_absent(const json& pod, const char* key) {
  if (fields::text(pod, key).empty()) return {};
  return broken(kPod + key,
                "each node gets the host name <job>-<node rank> under the job's Service, so leave "
                "it out");
}

Result<void> check_name(const std::string& where, const std::string& name) {
  if (!name.starts_with(kOurPrefix)) return {};
  return broken(where, "names that begin with lockstep- are the operator's, so write another");
}

Result<void> check_is_not_the_trainer(const std::string& name) {
  if (name != names::kTrainerContainer) return {};
  return broken(kPod + "initContainers[].name",
                "trainer is the container that trains, so write another name");
}

void check_names(const json& pod, Faults& faults) {
  for (const char* kind : {"volumes", "initContainers"}) {
    for (const json& entry : fields::list(pod, kind)) {
      faults.note(check_name(kPod + kind + "[].name", fields::text(entry, "name")));
    }
  }
  for (const json& container : fields::list(pod, "initContainers")) {
    faults.note(check_is_not_the_trainer(fields::text(container, "name")));
  }
}

void check_restarts(const json& pod, Faults& faults) {
  faults.note(check_restart_policy(kPod, pod));
  faults.note(check_restart_policy(kPod + "containers[].", trainer_of(pod)));
}

std::string written(const json& amount) {
  return amount.is_string() ? amount.get<std::string>() : amount.dump();
}

bool is_plain_number(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
}

// Kubernetes counts whole devices only. As a quantity 8Gi would be whole as well.
Result<void> check_devices(const std::string& where, const json& amounts) {
  if (!amounts.is_object()) return {};
  for (const auto& [name, amount] : amounts.items()) {
    if (name.find('/') == std::string::npos || is_plain_number(written(amount))) continue;
    return broken(where, "write a plain whole number of each device, such as 8 for nvidia.com/gpu");
  }
  return {};
}

void check_resources(const std::string& where, const json& resources, Faults& faults) {
  for (const char* kind : {"limits", "requests"}) {
    faults.note(check_devices(where + "." + kind, fields::member(resources, kind)));
  }
}

// What is requested of a device is what it is limited to.
Result<void> check_device_requests(const std::string& where, const json& resources) {
  const json& requests = fields::member(resources, "requests");
  if (!requests.is_object()) return {};
  for (const auto& [name, amount] : requests.items()) {
    const json& limit = fields::member(fields::member(resources, "limits"), name.c_str());
    const bool is_device = name.find('/') != std::string::npos;
    if (!is_device || (!limit.is_null() && written(limit) == written(amount))) continue;
    return broken(where,
                  "write the same number of each device in requests and in limits, or leave it out "
                  "of requests");
  }
  return {};
}

void check_all_resources(const JobSpec& spec, const json& pod, Faults& faults) {
  check_resources("spec.resourcesPerNode", spec.resources, faults);
  faults.note(check_device_requests("spec.resourcesPerNode", spec.resources));
  for (const NodeGroup& group : spec.node_groups) {
    check_resources("spec.nodeGroups[].resourcesPerNode", group.resources, faults);
    faults.note(check_device_requests("spec.nodeGroups[].resourcesPerNode", group.resources));
  }
  for (const char* kind : {"initContainers", "containers"}) {
    for (const json& container : fields::list(pod, kind)) {
      check_resources(kPod + kind + "[].resources", fields::member(container, "resources"), faults);
    }
  }
}

// The image's own entry point is not known before it is pulled.
Result<void> check_command(const JobSpec& spec, const json& pod) {
  if (!spec.injects_launcher || !spec.command.empty()) return {};
  if (!fields::list(trainer_of(pod), "command").empty()) return {};
  return broken("spec.command",
                "under launcher Inject write the whole command, since the image's own entry point "
                "is not known");
}

// Where anything of the user's appears in the trainer container.
std::vector<std::string> mounted_paths(const JobSpec& spec, const json& pod) {
  std::vector<std::string> paths;
  for (const Mount& mount : spec.mounts) paths.push_back(mount.path);
  if (spec.checkpoints) paths.push_back(spec.checkpoints->path);
  for (const json& mount : fields::list(trainer_of(pod), "volumeMounts")) {
    paths.push_back(fields::text(mount, "mountPath"));
  }
  return paths;
}

// Nothing can be mounted in it either: it is read-only.
Result<void> check_launcher_folder(const JobSpec& spec, const json& pod) {
  const std::string folder = std::string(names::kLauncherFolder) + "/";
  const std::vector<std::string> paths = mounted_paths(spec, pod);
  const bool is_free = std::none_of(paths.begin(), paths.end(), [&](const std::string& path) {
    return (path + "/").starts_with(folder);
  });
  if (!spec.injects_launcher || is_free) return {};
  return broken("spec.launcher",
                "the launcher is put into /lockstep, so mount something else elsewhere");
}

}  // namespace

void check_pod_rules(const JobSpec& spec, Faults& faults) {
  const json& pod = fields::member(spec.pod_template, "spec");
  check_restarts(pod, faults);
  for (const char* key : {"hostname", "subdomain"}) faults.note(check_is_absent(pod, key));
  check_names(pod, faults);
  check_all_resources(spec, pod, faults);
  faults.note(check_command(spec, pod));
  faults.note(check_launcher_folder(spec, pod));
}

}  // namespace lockstep
