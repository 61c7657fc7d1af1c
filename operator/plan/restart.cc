// Restart arithmetic.
#include "operator/plan/restart.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/conditions.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr seconds kFirstDelay{10};
constexpr seconds kLongestDelay{300};
constexpr seconds kStableStretch{
    600};  // so long without a loss, and the count of restarts in a row begins anew

bool was_stable(const JobStatus& status, Time now) {
  const Condition* running = status.condition(names::kRunning);
  return running && running->status && now - running->last_transition >= kStableStretch;
}

// Programs say last why they end.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::optional<Verdict> final_verdict(const TrainingJob& job, const Loss& root) {
  if (root.kind == LossKind::kDisruption) return std::nullopt;
  const std::string what = describe(root.evidence);
  if (root.kind == LossKind::kPermanentFailure) {
    return Verdict{names::kPermanentFailure, what + "; a restart would end the same way"};
  }
  const int limit = job.spec.run_policy.backoff_limit;
  if (job.status.restarts.failures < limit) return std::nullopt;
  return Verdict{names::kBackoffLimitExceeded,
                 what + "; runPolicy.backoffLimit allows " + std::to_string(limit) + " restarts"};
}

JobStatus with_next_attempt(JobStatus status, const Loss& root, Time now) {
  const bool is_disruption = root.kind == LossKind::kDisruption;
  ++(is_disruption ? status.restarts.disruptions : status.restarts.failures);
  status.restarts.consecutive = was_stable(status, now) ? 1 : status.restarts.consecutive + 1;
  status = with_new_attempt(std::move(status),
                            is_disruption ? AttemptCause::kDisruption : AttemptCause::kFailure);
  status.last_failure = root.evidence;
  status.attempt_start_time = now;
  const seconds delay = restart_delay(status.restarts.consecutive);
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

seconds restart_delay(int consecutive) {
  if (consecutive <= 1) return seconds(0);
  const int doublings = std::min(consecutive - 2, 10);
  return std::min(kFirstDelay * (1 << doublings), kLongestDelay);
}

std::string describe(const LastFailure& failure) {
  std::string text = "node " + std::to_string(failure.node_rank) + " (pod " + failure.pod;
  if (!failure.node.empty()) text += " on " + failure.node;
  text += ") ";
  if (failure.exit_code) {
    text += "exited with " + std::to_string(*failure.exit_code);
    if (!failure.reason.empty() && failure.reason != "Error") text += ", " + failure.reason;
  } else {
    text += "was lost, " + failure.reason;
  }
  const std::string why = last_line(failure.message);
  return why.empty() ? text : text + ": " + why;
}

}  // namespace lockstep
