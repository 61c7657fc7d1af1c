// The TrainingJob, as this operator reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "operator/api/job_spec.h"
#include "operator/api/job_status.h"
#include "operator/api/meta.h"
#include "operator/base/result.h"

namespace lockstep {

struct TrainingJob {
  ObjectMeta meta;
  nlohmann::json raw_spec;  // as the API server sent it
  JobSpec spec;             // but for managed_by meaningless while `invalid` is set
  std::string invalid;      // one sentence: what in spec makes no sense; empty when it does
  JobStatus status;
};

// Reads a whole object. A spec that makes no sense sets `invalid`; damaged status fields read as
// absent. Errors: kInvalid when the object has no usable metadata (name, uid).
Result<TrainingJob> parse_training_job(const nlohmann::json& object);

}  // namespace lockstep
