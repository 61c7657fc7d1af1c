// What marks an object as a job's own: labels to find it by, and the owner reference that decides.
#pragma once

#include <nlohmann/json.hpp>

#include "operator/api/training_job.h"

namespace lockstep {

// Labels of every object of the job.
nlohmann::json job_labels(const TrainingJob& job);

// The controller reference. No blockOwnerDeletion: setting it needs a right that the operator
// otherwise does without.
nlohmann::json owner_reference(const TrainingJob& job);

// Whether the job controls the object. Names and labels never decide that.
bool owns(const TrainingJob& job, const ObjectMeta& meta);

}  // namespace lockstep
