// The active and the startup deadline.
#include "operator/plan/deadline.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/status.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

bool has_passed(const std::optional<Time>& deadline, const View& view) {
  return deadline && *deadline <= view.now;
}

}  // namespace

std::optional<Time> active_deadline(const RunPolicy& policy, const JobStatus& status) {
  if (!policy.active_deadline_seconds || !status.start_time || status.is_finished()) {
    return std::nullopt;
  }
  return *status.start_time + seconds(*policy.active_deadline_seconds);
}

std::optional<Time> startup_deadline(const View& view) {
  const bool all_started = std::all_of(view.nodes.current.begin(), view.nodes.current.end(),
                                       [](const Pod* pod) { return pod && has_started(*pod); });
  if (all_started || !view.status.attempt_start_time) return std::nullopt;
  const Time start = std::max(*view.status.attempt_start_time,
                              view.status.next_restart_time.value_or(Time::min()));
  return start + seconds(view.job.spec.run_policy.startup_deadline_seconds);
}

std::optional<Verdict> ran_too_long(const View& view) {
  const RunPolicy& policy = view.job.spec.run_policy;
  if (!has_passed(active_deadline(policy, view.status), view)) return std::nullopt;
  return Verdict{names::kDeadlineExceeded, "the job ran for longer than the " +
                                               std::to_string(*policy.active_deadline_seconds) +
                                               " s of runPolicy.activeDeadlineSeconds"};
}

std::optional<Verdict> started_too_late(const View& view) {
  if (!has_passed(startup_deadline(view), view)) return std::nullopt;
  const JobStatus status = with_observations(view.status, view.seen, view.nodes, view.now);
  const int limit = view.job.spec.run_policy.startup_deadline_seconds;
  return Verdict{
      names::kStartupDeadlineExceeded,
      "not all nodes ran within " + std::to_string(limit) + " s: " + why_not_running(status)};
}

}  // namespace lockstep
