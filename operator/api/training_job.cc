// A TrainingJob from its JSON.
#include "operator/api/training_job.h"

#include "operator/api/fields.h"
#include "operator/api/rules.h"

namespace lockstep {
namespace {

Result<JobSpec> read_spec(const TrainingJob& job) {
  JobSpec spec = TRY(parse_spec(job.raw_spec));
  TRY(check_rules(job.meta, spec));
  return spec;
}

}  // namespace

Result<TrainingJob> parse_training_job(const nlohmann::json& object) {
  TrainingJob job;
  job.meta = TRY(parse_meta(object));
  job.raw_spec = fields::member(object, "spec");
  job.status = parse_status(fields::member(object, "status"));
  if (Result<JobSpec> spec = read_spec(job)) {
    job.spec = std::move(*spec);
  } else {
    job.invalid = std::move(spec.error().message);
    // Whether to keep hands off is known even then.
    job.spec.run_policy.managed_by =
        fields::text(fields::member(job.raw_spec, "runPolicy"), "managedBy");
  }
  return job;
}

}  // namespace lockstep
