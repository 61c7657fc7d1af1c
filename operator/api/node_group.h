// spec.nodeGroups of a TrainingJob: nodes of unequal shape. Fields and rules: docs/api.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/faults.h"

namespace lockstep {

inline constexpr int kMaxNodes = 4096;  // of a job
inline constexpr int kMaxProcPerNode = 64;

// Nodes of one shape. Resources and env lie over the whole job's; the others go to the pod.
struct NodeGroup {
  std::string name;  // empty: all nodes of a job without groups
  int num_nodes = 1;
  std::optional<int> proc_per_node;                     // absent: auto
  nlohmann::json resources = nlohmann::json::object();  // of core/v1 ResourceRequirements
  nlohmann::json env = nlohmann::json::array();         // of core/v1 EnvVar
  nlohmann::json node_selector = nlohmann::json::object();
  nlohmann::json tolerations = nlohmann::json::array();
  nlohmann::json affinity = nlohmann::json::object();  // empty: the template's
};

// All nodes of the job in groups, from the whole spec. There is always one.
std::vector<NodeGroup> parse_node_groups(const nlohmann::json& spec, Faults& faults);

}  // namespace lockstep
