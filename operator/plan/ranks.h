// How the processes of a job are numbered.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "operator/api/training_job.h"

namespace lockstep {

// Node by node in the order of the groups: global rank = offset(node rank) + local rank.
class Ranks {
 public:
  struct Group {
    int num_nodes = 1;
    int proc_per_node = 1;
  };

  explicit Ranks(std::vector<Group> groups) : groups_(std::move(groups)) {}

  int num_nodes() const;
  int world_size() const;
  int processes(int node_rank) const;
  int offset(int node_rank) const;

 private:
  const std::vector<Group> groups_;
};

// procPerNode auto counts the accelerators in the limits of a group's final trainer container, and
// none means 1.
Ranks ranks_of(const JobSpec& spec, const std::vector<std::string>& accelerators);

// The accelerators in a container's limits: the sum over all resources that match a pattern
// ("nvidia.com/mig-*").
int count_accelerators(const nlohmann::json& container, const std::vector<std::string>& patterns);

// The group that a node belongs to.
const NodeGroup& group_of(const JobSpec& spec, int node_rank);

}  // namespace lockstep
