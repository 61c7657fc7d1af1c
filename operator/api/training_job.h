// The TrainingJob, as this operator reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "operator/api/faults.h"
#include "operator/api/job_spec.h"
#include "operator/api/job_status.h"
#include "operator/api/meta.h"
#include "operator/base/result.h"

namespace lockstep {

struct TrainingJob {
  ObjectMeta meta;
  nlohmann::json raw_spec;  // as the API server sent it
  JobSpec spec;             // but for managed_by meaningless while there are faults
  Faults faults;            // what in spec makes no sense
  JobStatus status;
};

// Reads a whole object. What makes no sense in spec is in `faults`; damaged status fields read as
// absent. Errors: kInvalid when the object has no usable metadata (name, uid).
Result<TrainingJob> parse_training_job(const nlohmann::json& object);

}  // namespace lockstep
