// How the processes of a job are numbered.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/api/training_job.h"

namespace lockstep {

inline constexpr int kMaxProcPerNode = 64;

// Global rank = offset(node rank) + local rank.
struct Ranks {
  int num_nodes = 1;
  int proc_per_node = 1;

  int world_size() const { return num_nodes * proc_per_node; }
  int offset(int node_rank) const { return node_rank * proc_per_node; }
};

// `trainer` is the final trainer container: procPerNode auto counts the accelerators in its limits,
// and none means 1.
Ranks ranks_of(const JobSpec& spec, const nlohmann::json& trainer,
               const std::vector<std::string>& accelerators);

// The accelerators in a container's limits: the sum over all resources that match a pattern
// ("nvidia.com/mig-*").
int count_accelerators(const nlohmann::json& container, const std::vector<std::string>& patterns);

}  // namespace lockstep
