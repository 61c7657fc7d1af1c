// A TrainingJob from its JSON.
#include "operator/api/training_job.h"

#include "operator/api/fields.h"
#include "operator/api/rules.h"

namespace lockstep {

Result<TrainingJob> parse_training_job(const nlohmann::json& object) {
  TrainingJob job;
  job.meta = TRY(parse_meta(object));
  job.raw_spec = fields::member(object, "spec");
  job.status = parse_status(fields::member(object, "status"));
  job.spec = parse_spec(job.raw_spec, job.faults);
  check_rules(job.meta, job.spec, job.faults);
  return job;
}

}  // namespace lockstep
