// The claims that the job mounts.
#include <algorithm>
#include <set>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plugin/doctor.h"

namespace lockstep {
namespace {

using nlohmann::json;

// Those of the shorthands and of the template.
std::set<std::string> claims_of(const JobSpec& spec) {
  std::set<std::string> names;
  if (spec.checkpoints) names.insert(spec.checkpoints->claim_name);
  for (const Mount& mount : spec.mounts) names.insert(mount.claim_name);
  for (const json& volume : fields::list(fields::member(spec.pod_template, "spec"), "volumes")) {
    const json& source = fields::member(volume, "persistentVolumeClaim");
    if (source.is_object()) names.insert(fields::text(source, "claimName"));
  }
  return names;
}

const json* find(const std::vector<json>& objects, const std::string& name) {
  const auto found = std::find_if(objects.begin(), objects.end(), [&](const json& each) {
    return fields::text(fields::member(each, "metadata"), "name") == name;
  });
  return found == objects.end() ? nullptr : &*found;
}

bool is_shared(const json& claim) {
  const json& modes = fields::list(fields::member(claim, "spec"), "accessModes");
  return std::any_of(modes.begin(), modes.end(), [](const json& mode) {
    return mode == "ReadWriteMany" || mode == "ReadOnlyMany";
  });
}

// The newest event about the claim: its provisioner's word.
const json* last_event(const Evidence& seen, const std::string& claim) {
  const json* last = nullptr;
  for (const json& event : seen.events) {
    const json& about = fields::member(event, "involvedObject");
    const bool is_about_it = fields::text(about, "kind") == "PersistentVolumeClaim" &&
                             fields::text(about, "name") == claim;
    if (is_about_it) last = &event;
  }
  return last;
}

void examine_claim(const Evidence& seen, const std::string& name, const json& claim,
                   Findings& findings) {
  const std::string phase = fields::text(fields::member(claim, "status"), "phase");
  const json& modes = fields::member(fields::member(claim, "spec"), "accessModes");
  const json* event = last_event(seen, name);
  // One that waits for its first pod is as it should be.
  const bool waits_for_pod = event && fields::text(*event, "reason") == "WaitForFirstConsumer";
  if (phase != "Bound" && !waits_for_pod) {
    findings.push_back(
        {"the claim " + name + " is not bound",
         "PersistentVolumeClaim " + name + " is " + phase +
             (event ? ": " + fields::text(*event, "message") : ""),
         "kubectl describe pvc " + name + " -n " + seen.job.meta.namespace_ +
             " says what it waits for: usually a storage class that provides such volumes"});
  } else if (seen.job.spec.num_nodes > 1 && !is_shared(claim) &&
             !seen.job.status.is(names::kRunning)) {
    findings.push_back({"the claim " + name + " can be mounted on one machine only",
                        "its accessModes are " + modes.dump() + ", and the job has " +
                            std::to_string(seen.job.spec.num_nodes) + " nodes",
                        "use a claim with accessModes [ReadWriteMany]"});
  }
}

}  // namespace

void examine_storage(const Evidence& seen, Findings& findings) {
  if (!seen.claims || seen.job.status.is_finished()) return;
  for (const std::string& name : claims_of(seen.job.spec)) {
    if (const json* claim = find(*seen.claims, name)) {
      examine_claim(seen, name, *claim, findings);
      continue;
    }
    findings.push_back({"the claim " + name + " does not exist",
                        "the job mounts PersistentVolumeClaim " + name + ", and namespace " +
                            seen.job.meta.namespace_ + " has none of that name",
                        "create it (ReadWriteMany when the job has several nodes): the pods go on "
                        "by themselves"});
  }
}

}  // namespace lockstep
