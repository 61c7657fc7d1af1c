// Every kind of object that this operator reads or writes, and where it lives in the API.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "operator/api/names.h"

namespace lockstep {

struct Resource {
  std::string_view group;  // empty: the core group
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
  auto operator<=>(const Resource&) const = default;
};

// "Pod fashion-1"
inline std::string described(const Resource& resource, const std::string& name) {
  return std::string(resource.kind) + " " + name;
}

inline constexpr Resource kTrainingJobs{names::kGroup, names::kVersion, names::kPlural,
                                        names::kTrainingJob};
inline constexpr Resource kPods{"", "v1", "pods", "Pod"};
inline constexpr Resource kEvents{"", "v1", "events", "Event"};
inline constexpr Resource kServices{"", "v1", "services", "Service"};
inline constexpr Resource kNetworkPolicies{"networking.k8s.io", "v1", "networkpolicies",
                                           "NetworkPolicy"};

// Gang scheduling, by whose scheduler it is. Kubernetes' own changes its version with each release.
inline constexpr Resource kVolcanoPodGroups{"scheduling.volcano.sh", "v1beta1", "podgroups",
                                            "PodGroup"};
inline constexpr Resource kCoschedulingPodGroups{"scheduling.x-k8s.io", "v1alpha1", "podgroups",
                                                 "PodGroup"};
inline constexpr Resource kNativePodGroups[] = {
    {"scheduling.k8s.io", "v1beta1", "podgroups", "PodGroup"},
    {"scheduling.k8s.io", "v1alpha3", "podgroups", "PodGroup"},
    {"scheduling.k8s.io", "v1alpha2", "podgroups", "PodGroup"}};

// Kueue. All but the Workload are cluster-wide.
inline constexpr Resource kWorkloads{"kueue.x-k8s.io", "v1beta2", "workloads", "Workload"};
inline constexpr Resource kResourceFlavors{"kueue.x-k8s.io", "v1beta2", "resourceflavors",
                                           "ResourceFlavor"};
inline constexpr Resource kWorkloadPriorityClasses{
    "kueue.x-k8s.io", "v1beta2", "workloadpriorityclasses", "WorkloadPriorityClass"};
inline constexpr Resource kPriorityClasses{"scheduling.k8s.io", "v1", "priorityclasses",
                                           "PriorityClass"};

}  // namespace lockstep
