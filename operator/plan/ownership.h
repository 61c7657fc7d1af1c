// What marks an object as a job's own: its name, labels to find it by, and the owner reference that
// decides.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "operator/api/training_job.h"

namespace lockstep {

// "<job>-<node rank>": the name fences, since it can exist only once.
std::string pod_name(const TrainingJob& job, int node_rank);

// Labels of every object of the job.
nlohmann::json job_labels(const TrainingJob& job);

// The controller reference. No blockOwnerDeletion: setting it needs a right that the operator
// otherwise does without.
nlohmann::json owner_reference(const TrainingJob& job);

// Whether the job controls the object. Names and labels never decide that.
bool owns(const TrainingJob& job, const ObjectMeta& meta);

}  // namespace lockstep
