// Conditions and phase.
#include "operator/plan/conditions.h"

#include <algorithm>

#include "operator/api/names.h"

namespace lockstep {
namespace {

auto find(std::vector<Condition>& conditions, const std::string& type) {
  return std::find_if(conditions.begin(), conditions.end(),
                      [&](const Condition& each) { return each.type == type; });
}

void put(JobStatus& status, Condition condition, Time now) {
  const auto found = find(status.conditions, condition.type);
  const bool is_new = found == status.conditions.end() || found->status != condition.status ||
                      found->is_unknown != condition.is_unknown;
  condition.last_transition = is_new ? now : found->last_transition;
  if (found == status.conditions.end()) {
    status.conditions.push_back(std::move(condition));
  } else {
    condition.observed_generation = found->observed_generation;
    *found = std::move(condition);
  }
}

bool waits_for_machines(const JobStatus& status) {
  const Condition* running = status.condition(names::kRunning);
  return running && (running->reason == names::kUnschedulable ||
                     running->reason == names::kWaitingForScheduler);
}

}  // namespace

void set_condition(JobStatus& status, const std::string& type, bool value,
                   const std::string& reason, const std::string& message, Time now) {
  put(status, {.type = type, .status = value, .reason = reason, .message = message}, now);
}

void set_unknown(JobStatus& status, const std::string& type, const std::string& reason,
                 const std::string& message, Time now) {
  put(status, {.type = type, .reason = reason, .message = message, .is_unknown = true}, now);
}

void drop_condition(JobStatus& status, const std::string& type) {
  const auto found = find(status.conditions, type);
  if (found != status.conditions.end()) status.conditions.erase(found);
}

Phase phase_of(const JobStatus& status) {
  if (status.is(names::kFailed)) return Phase::kFailed;
  if (status.is(names::kComplete)) return Phase::kSucceeded;
  if (status.is(names::kSuspended)) return Phase::kSuspended;
  if (status.is(names::kRunning)) return Phase::kRunning;
  if (status.is(names::kRestarting)) return Phase::kRestarting;
  if (!status.is(names::kPodsCreated) || waits_for_machines(status)) return Phase::kPending;
  return Phase::kStarting;
}

}  // namespace lockstep
