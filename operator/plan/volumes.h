// What is mounted in the trainer container of every node.
#pragma once

#include <nlohmann/json.hpp>

#include "operator/api/training_job.h"

namespace lockstep {

// Adds shared memory, the job's mounts and its checkpoints to the pod's spec and to its trainer
// container.
void add_volumes(nlohmann::json& pod_spec, nlohmann::json& trainer, const TrainingJob& job);

}  // namespace lockstep
