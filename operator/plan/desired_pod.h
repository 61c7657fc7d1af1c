// The pods of a job, as the JSON that is posted to create them.
#pragma once

#include <nlohmann/json.hpp>

#include "operator/api/training_job.h"
#include "operator/plan/platform.h"

namespace lockstep {

// The pod of one node in the job's current attempt. Needs a job without faults; never fails.
nlohmann::json desired_pod(const TrainingJob& job, int node_rank, const Platform& platform);

}  // namespace lockstep
