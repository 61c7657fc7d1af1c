// The policy, top-down, in the order in which docs/architecture.md explains it.
//
// One rule for deletion: pods of an unfinished job are deleted only after `attempt` was raised in
// status, so a pod of the current attempt that is going or gone was not our doing. One rule for
// creation: until `podsCreated` a missing pod is created, after it a missing pod is a lost node.
#include "operator/plan/decide.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/conditions.h"
#include "operator/plan/converge.h"
#include "operator/plan/deadline.h"
#include "operator/plan/disruption.h"
#include "operator/plan/events.h"
#include "operator/plan/expiry.h"
#include "operator/plan/hold.h"
#include "operator/plan/kueue.h"
#include "operator/plan/loss.h"
#include "operator/plan/removal.h"
#include "operator/plan/restart.h"
#include "operator/plan/stall.h"
#include "operator/plan/status.h"
#include "operator/plan/success.h"
#include "operator/plan/trainer_container.h"
#include "operator/plan/view.h"

namespace lockstep {
namespace {

bool is_managed_by_another(const TrainingJob& job) {
  const std::string& manager = job.spec.run_policy.managed_by;
  return !manager.empty() && manager != names::kOurManager;
}

Plan say_invalid(const View& view) {
  if (view.status.is_finished()) return {};
  JobStatus status = view.status;
  set_condition(status, names::kInvalid, true, names::kInvalidSpec, view.job.faults.summary(),
                view.now);
  return plan_status(view, std::move(status));
}

// Status was lost or set back. If the view is merely stale, the conditional write fails and nothing
// happens.
Plan catch_up(const View& view) {
  JobStatus status = view.status;
  status.attempt = view.nodes.latest_attempt;
  status.attempt_start_time = view.now;
  if (!status.start_time) status.start_time = view.now;
  return plan_status(view, std::move(status));
}

Plan end(const View& view, const char* condition, const Verdict& verdict, Time when,
         std::optional<LastFailure> failure = {}) {
  JobStatus status = view.status;
  status.completion_time = when;
  if (failure) status.last_failure = std::move(failure);
  set_condition(status, condition, true, verdict.reason, verdict.message, view.now);
  set_condition(status, names::kRunning, false, names::kJobEnded, "the job has ended", view.now);
  for (const char* type : {names::kRestarting, names::kSuspended, names::kNameConflict}) {
    drop_condition(status, type);
  }
  return plan_status(view, std::move(status));
}

// An end stays as it is; only that a later edit was seen is noted.
Plan retire(const View& view) {
  Plan plan = clean_up(view);
  if (view.status.observed_generation != view.job.meta.generation) {
    plan.status = view.status;
    plan.status->observed_generation = view.job.meta.generation;
    return plan;
  }
  expire(view, plan);
  remove_stuck(view, plan);
  return plan;
}

Plan complete(const View& view, const Success& success) {
  return end(view, names::kComplete, {success.reason, success.message}, success.finished);
}

Plan suspend(const View& view, const Hold& hold) {
  JobStatus status = view.status;
  if (status.pods_created || view.nodes.exist()) {
    status = with_new_attempt(std::move(status), AttemptCause::kSuspend);
  }
  status.start_time.reset();
  status.next_restart_time.reset();
  status.create_retry_time = hold.retry_time;
  drop_condition(status, names::kRestarting);
  set_condition(status, names::kSuspended, true, hold.reason, hold.message, view.now);
  Plan plan = plan_status(view, status);
  if (status.attempt == view.status.attempt) remove_earlier(view, plan);
  return plan;
}

// The first attempt, or the one after a suspension: clocks start here.
Plan begin(const View& view) {
  JobStatus status = view.status;
  const bool is_first = status.attempt == 0;
  if (is_first) {
    status.attempt = 1;
    if (uses_our_image(view.job.spec)) status.image = view.seen.platform.trainer_image;
  }
  if (status.is(names::kSuspended)) {
    set_condition(status, names::kSuspended, false, names::kJobResumed,
                  "nothing holds the job any more: its nodes start", view.now);
  }
  status.start_time = view.now;
  status.attempt_start_time = view.now;
  Plan plan = plan_status(view, std::move(status));
  if (is_first) {
    for (Event& event : warnings_about(view.job, view.seen.platform)) {
      plan.events.push_back(std::move(event));
    }
  }
  return plan;
}

Plan fail(const View& view, const Verdict& verdict) {
  return end(view, names::kFailed, verdict, view.now);
}

// No two attempts run at once: the next one waits until every pod of the one before is gone.
Plan drain(const View& view) {
  if (const auto verdict = started_too_late(view)) return fail(view, *verdict);
  JobStatus status = view.status;
  const bool was_disruption_after_all =
      status.attempt_cause == AttemptCause::kFailure &&
      std::any_of(view.nodes.earlier.begin(), view.nodes.earlier.end(),
                  [](const Pod* pod) { return is_disrupted(*pod); });
  if (was_disruption_after_all) {
    status = with_charge_moved(view.job.spec.run_policy, std::move(status));
  }
  Plan plan = plan_status(view, std::move(status), startup_deadline(view));
  remove_earlier(view, plan);
  return plan;
}

Plan restart_or_fail(const View& view, const std::vector<Loss>& losses) {
  const Loss& root = root_cause(losses);
  const Time settled = settles_at(root, others_of(view.nodes, losses), view.now);
  if (settled > view.now) return plan_status(view, view.status, settled);
  if (const auto verdict = final_verdict(view.job, root)) {
    return end(view, names::kFailed, *verdict, view.now, root.evidence);
  }
  JobStatus status = with_next_attempt(view.job.spec.run_policy, view.status, root, view.now);
  const bool is_disruption = root.kind == LossKind::kDisruption;
  set_condition(
      status, names::kRestarting, true, is_disruption ? names::kNodeDisrupted : names::kNodeFailed,
      "attempt " + std::to_string(status.attempt) + " follows: " + describe(root.evidence),
      view.now);
  return plan_status(view, std::move(status));
}

Plan follow_rules(const View& view) {
  const TrainingJob& job = view.job;
  if (job.status.is_finished()) return retire(view);

  if (view.nodes.latest_attempt > job.status.attempt) return catch_up(view);
  if (const auto success = success_of(view)) return complete(view, *success);
  if (const auto hold = hold_of(view)) return suspend(view, *hold);
  if (job.status.attempt == 0 || job.status.is(names::kSuspended)) return begin(view);
  if (const auto verdict = ran_too_long(view)) return fail(view, *verdict);
  if (!view.nodes.earlier.empty()) return drain(view);

  const std::vector<Loss> losses = lost_nodes(view.seen, view.nodes);
  if (!losses.empty()) return restart_or_fail(view, losses);
  if (const auto stall = stall_of(view.seen, view.nodes)) return restart_or_fail(view, {*stall});
  if (const auto verdict = started_too_late(view)) return fail(view, *verdict);
  if (const auto verdict = refused_for_good(view)) return fail(view, *verdict);
  return converge(view);
}

}  // namespace

Plan decide(const Observed& seen, Time now) {
  if (seen.job.meta.deletion_time || is_managed_by_another(seen.job)) return {};
  const View view(seen, now);
  if (!seen.job.faults.empty()) return say_invalid(view);
  Plan plan = follow_rules(view);
  tell_kueue(view, plan);
  return plan;
}

}  // namespace lockstep
