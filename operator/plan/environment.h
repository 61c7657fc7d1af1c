// The environment that the operator gives to every container of a node.
#pragma once

#include <nlohmann/json.hpp>

#include "operator/api/training_job.h"
#include "operator/plan/ranks.h"

namespace lockstep {

// Array of core/v1 EnvVar, in the order of docs/api.md. grace_seconds is the pod's own grace
// period.
nlohmann::json environment(const TrainingJob& job, const Ranks& ranks, int node_rank,
                           int grace_seconds);

// The environment of one container: `ours` and, where its termination message is at another place
// than usual, where.
nlohmann::json environment_of(const nlohmann::json& container, nlohmann::json ours);

// Ours, then what a container had itself under other names: so $(MASTER_ADDR) may be used in it,
// and ours win.
nlohmann::json with_environment(const nlohmann::json& ours, const nlohmann::json& containers_own);

}  // namespace lockstep
