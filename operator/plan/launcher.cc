// The init container, the volume that it fills, and the command around the user's.
#include "operator/plan/launcher.h"

#include <string>

#include "operator/api/fields.h"
#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kName[] = "lockstep-launcher";
constexpr char kProgram[] = "/usr/local/bin/lockstep-launch";  // in the launcher's image
constexpr int kNobody = 65532;                                 // the user of that image

std::string injected() { return std::string(names::kLauncherFolder) + "/lockstep-launch"; }

// Fits every Pod Security level, whatever user the pod runs as. Requests equal to limits keep a
// pod in the Guaranteed class, and quotas ask each container for them.
json init_container(const std::string& image) {
  return {
      {"name", kName},
      {"image", image},
      {"command", json::array({"cp", kProgram, injected()})},
      {"resources", {{"limits", {{"cpu", "100m"}, {"memory", "64Mi"}}}}},
      {"securityContext",
       {{"runAsNonRoot", true},
        {"runAsUser", kNobody},
        {"runAsGroup", kNobody},
        {"allowPrivilegeEscalation", false},
        {"readOnlyRootFilesystem", true},
        {"capabilities", {{"drop", json::array({"ALL"})}}},
        {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
      {"volumeMounts", json::array({{{"name", kName}, {"mountPath", names::kLauncherFolder}}})}};
}

}  // namespace

void inject_launcher(json& pod_spec, json& trainer, const Platform& platform) {
  // First, so that the template's own may use it.
  json init_containers = json::array({init_container(platform.launcher_image)});
  for (const json& each : fields::list(pod_spec, "initContainers")) init_containers.push_back(each);
  pod_spec["initContainers"] = std::move(init_containers);
  pod_spec["volumes"].push_back({{"name", kName}, {"emptyDir", json::object()}});
  trainer["volumeMounts"].push_back(
      {{"name", kName}, {"mountPath", names::kLauncherFolder}, {"readOnly", true}});
  json command = json::array({injected(), "--"});
  for (const json& word : fields::list(trainer, "command")) command.push_back(word);
  trainer["command"] = std::move(command);
}

}  // namespace lockstep
