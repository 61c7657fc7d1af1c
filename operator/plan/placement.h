// Where the pods of a job may run, and how they are spread.
#pragma once

#include <nlohmann/json.hpp>

#include "operator/api/training_job.h"

namespace lockstep {

// Lays what a node's group says over the template's, and spreads the nodes of a job over machines
// where the template says nothing.
void place(nlohmann::json& pod_spec, const TrainingJob& job, const NodeGroup& group);

}  // namespace lockstep
