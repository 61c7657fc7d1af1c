// Deletion of finished jobs.
#include "operator/plan/expiry.h"

#include "operator/api/names.h"

namespace lockstep {
namespace {

// The condition knows it even where a completionTime was lost.
std::optional<Time> end_of(const JobStatus& status) {
  if (status.completion_time) return status.completion_time;
  for (const char* type : {names::kComplete, names::kFailed}) {
    if (status.is(type)) return status.condition(type)->last_transition;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Time> expires_at(const TrainingJob& job) {
  const std::optional<int> seconds = job.spec.run_policy.ttl_seconds_after_finished;
  const std::optional<Time> end = end_of(job.status);
  if (!seconds || !end) return std::nullopt;
  return *end + std::chrono::seconds(*seconds);
}

void expire(const View& view, Plan& plan) {
  const std::optional<Time> expiry = expires_at(view.job);
  if (!expiry) return;
  const bool is_clean = plan.actions.empty() && !plan.look_again;
  if (*expiry > view.now) {
    look_again_at(plan, *expiry);
  } else if (is_clean) {
    plan.actions.push_back(DeleteJob{view.job.meta.uid, view.job.meta.resource_version});
  }
}

}  // namespace lockstep
