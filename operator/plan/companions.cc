// The Service, the NetworkPolicy and the PodGroup of a job.
#include "operator/plan/companions.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/gang.h"
#include "operator/plan/ownership.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

// The uid keeps a deleted namesake's last pods out.
json own_pods(const TrainingJob& job) {
  return {{names::kJobName, job.meta.name}, {names::kJobUid, job.meta.uid}};
}

Create service(const TrainingJob& job) {
  return companion(job, kServices,
                   {{"clusterIP", "None"},
                    // Nodes look each other up before any of them is ready.
                    {"publishNotReadyAddresses", true},
                    {"selector", own_pods(job)}});
}

// Ranks speak to each other on ports that the collectives choose. Everybody may read the progress.
Create network_policy(const TrainingJob& job) {
  const json progress = {{"protocol", "TCP"}, {"port", contract::kProgressPort}};
  const json peers = {{"podSelector", {{"matchLabels", own_pods(job)}}}};
  return companion(job, kNetworkPolicies,
                   {{"podSelector", {{"matchLabels", own_pods(job)}}},
                    {"policyTypes", json::array({"Ingress"})},
                    {"ingress", json::array({{{"from", json::array({peers})}},
                                             {{"ports", json::array({progress})}}})}});
}

}  // namespace

Create companion(const TrainingJob& job, const Resource& resource, json spec) {
  const std::string group = resource.group.empty() ? "" : std::string(resource.group) + "/";
  return {.resource = resource,
          .name = job.meta.name,
          .body = {{"apiVersion", group + std::string(resource.version)},
                   {"kind", resource.kind},
                   {"metadata",
                    {{"name", job.meta.name},
                     {"namespace", job.meta.namespace_},
                     {"labels", job_labels(job)},
                     {"ownerReferences", json::array({owner_reference(job)})}}},
                   {"spec", std::move(spec)}}};
}

std::vector<Create> desired_companions(const TrainingJob& job, const Platform& platform) {
  std::vector<Create> companions{service(job)};
  if (job.spec.is_isolated) companions.push_back(network_policy(job));
  if (const auto pod_groups = pod_groups_of(job.spec, platform)) {
    companions.push_back(companion(job, *pod_groups, pod_group_spec(job.spec, *pod_groups)));
  }
  return companions;
}

const Companion* existing(const std::vector<Companion>& companions, const Create& wanted) {
  const auto found = std::find_if(companions.begin(), companions.end(), [&](const Companion& each) {
    return each.resource == wanted.resource && each.meta.name == wanted.name;
  });
  return found == companions.end() ? nullptr : &*found;
}

}  // namespace lockstep
