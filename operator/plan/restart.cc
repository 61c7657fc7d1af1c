// Restart arithmetic.
#include "operator/plan/restart.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/backoff.h"
#include "operator/plan/failure_rules.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

bool has_room(const std::optional<int>& limit, int spent) { return !limit || spent < *limit; }

bool is_counted(const RunPolicy& policy, const LastFailure& failure) {
  const FailureRule* rule = matching_rule(policy.failure_rules, failure);
  return !rule || rule->action != FailureAction::kRestartWithoutCounting;
}

std::optional<Verdict> verdict_on_disruption(const TrainingJob& job, const std::string& what) {
  const std::optional<int>& limit = job.spec.run_policy.disruption_limit;
  if (has_room(limit, job.status.restarts.disruptions)) return std::nullopt;
  return Verdict{names::kDisruptionLimitExceeded, what + "; runPolicy.disruptionLimit allows " +
                                                      std::to_string(*limit) + " restarts"};
}

// Programs say last why they end.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::optional<Verdict> final_verdict(const TrainingJob& job, const Loss& root) {
  const RunPolicy& policy = job.spec.run_policy;
  const std::string what = describe(root.evidence);
  if (root.kind == LossKind::kDisruption) return verdict_on_disruption(job, what);
  const FailureRule* rule = matching_rule(policy.failure_rules, root.evidence);
  if (rule && rule->action == FailureAction::kRestartWithoutCounting) return std::nullopt;
  if (rule && rule->action == FailureAction::kFail) {
    const auto index = std::to_string(rule - policy.failure_rules.data());
    return Verdict{names::kFailureRule, what + "; runPolicy.failureRules[" + index + "] says Fail"};
  }
  if (!rule && root.kind == LossKind::kPermanentFailure) {
    return Verdict{names::kPermanentFailure, what + "; a restart would end the same way"};
  }
  if (has_room(policy.backoff_limit, job.status.restarts.failures)) return std::nullopt;
  return Verdict{names::kBackoffLimitExceeded, what + "; runPolicy.backoffLimit allows " +
                                                   std::to_string(policy.backoff_limit) +
                                                   " restarts"};
}

JobStatus with_next_attempt(const RunPolicy& policy, JobStatus status, const Loss& root, Time now) {
  const bool is_disruption = root.kind == LossKind::kDisruption;
  if (is_disruption) {
    ++status.restarts.disruptions;
  } else if (is_counted(policy, root.evidence)) {
    ++status.restarts.failures;
  }
  status.restarts.consecutive = restarts_in_a_row(policy.restart_backoff, status, now);
  status = with_new_attempt(std::move(status),
                            is_disruption ? AttemptCause::kDisruption : AttemptCause::kFailure);
  status.last_failure = root.evidence;
  status.attempt_start_time = now;
  const seconds delay = restart_delay(policy.restart_backoff, status.restarts.consecutive);
  if (delay > seconds(0)) status.next_restart_time = now + delay;
  return status;
}

JobStatus with_new_attempt(JobStatus status, AttemptCause cause) {
  ++status.attempt;
  status.attempt_cause = cause;
  status.pods_created = false;
  status.next_restart_time.reset();
  status.create_retry_time.reset();
  return status;
}

JobStatus with_charge_moved(const RunPolicy& policy, JobStatus status) {
  if (!has_room(policy.disruption_limit, status.restarts.disruptions)) return status;
  const bool was_counted = !status.last_failure || is_counted(policy, *status.last_failure);
  if (was_counted) status.restarts.failures = std::max(0, status.restarts.failures - 1);
  ++status.restarts.disruptions;
  status.attempt_cause = AttemptCause::kDisruption;
  return status;
}

std::string describe(const LastFailure& failure) {
  std::string text = "node " + std::to_string(failure.node_rank) + " (pod " + failure.pod;
  if (!failure.node.empty()) text += " on " + failure.node;
  text += ") ";
  if (failure.exit_code) {
    text += "exited with " + std::to_string(*failure.exit_code);
    if (!failure.reason.empty() && failure.reason != "Error") text += ", " + failure.reason;
  } else {
    text += failure.reason == names::kStalled ? "stalled" : "was lost, " + failure.reason;
  }
  const std::string why = last_line(failure.message);
  return why.empty() ? text : text + ": " + why;
}

}  // namespace lockstep
