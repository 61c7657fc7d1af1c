// What Kueue grants with a job's quota: the machines that the quota is for.
#pragma once

#include <optional>
#include <vector>

#include "operator/plan/observed.h"

namespace lockstep {

// Cluster-wide objects that decide() needs for a job in a queue: the priority class while the job
// asks, the flavors of its quota while its pods are made. The caller must GET each and record it in
// `cluster_objects`; one that is not there does not exist.
std::vector<ClusterObject> objects_to_read(const Observed& seen);

// The first of them that does not exist.
std::optional<ClusterObject> missing_object(const Observed& seen);

// Lays what was granted to the pod sets of the job over the pod of a node.
void assign(nlohmann::json& pod, const Observed& seen, const NodeGroup& group);

}  // namespace lockstep
