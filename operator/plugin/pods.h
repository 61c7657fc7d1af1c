// What the pods of a job say about themselves. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/core.h"
#include "operator/api/training_job.h"

namespace lockstep {

std::string label(const nlohmann::json& object, const char* name);
int node_rank(const nlohmann::json& pod);

// In the order of their nodes.
std::vector<nlohmann::json> by_node_rank(std::vector<nlohmann::json> pods);

// Those that the job of that uid owns, of that attempt.
std::vector<nlohmann::json> of_attempt(const std::vector<nlohmann::json>& pods,
                                       const ObjectMeta& job, int attempt);

// The ranks of a node, from its trainer container's environment.
struct RankRange {
  int first = 0;
  int count = 1;
};
RankRange ranks_of(const nlohmann::json& pod);

// What keeps a pod from running or has ended it: "ImagePullBackOff: Back-off pulling image x". ""
// for one that runs.
std::string why_not_ready(const Pod& pod);

}  // namespace lockstep
