// runPolicy.suspend, there and back.
#include "operator/plugin/suspension.h"

#include "operator/api/names.h"

namespace lockstep {
namespace {

bool is_suspended(const TrainingJob& job) { return job.spec.run_policy.is_suspended; }

bool is_others(const TrainingJob& job) {
  const std::string& manager = job.spec.run_policy.managed_by;
  return !manager.empty() && manager != names::kOurManager;
}

Result<void> check(const TrainingJob& job, const std::string& verb) {
  if (!job.faults.empty())
    return failure(Kind::kConflict, job.meta.name + ": " + job.faults.summary());
  if (job.meta.deletion_time) {
    return failure(Kind::kConflict, job.meta.name + " is being deleted: it cannot be " + verb);
  }
  if (is_others(job)) {
    return failure(Kind::kConflict, job.meta.name + " is managed by " +
                                        job.spec.run_policy.managed_by + ", which decides");
  }
  if (!job.status.is_finished()) return {};
  return failure(Kind::kConflict, job.meta.name + " has ended (" +
                                      std::string(phase_name(job.status.phase)) +
                                      ") and cannot be " + verb +
                                      ": delete it and create it anew; its checkpoints stay");
}

const Condition* held(const TrainingJob& job) {
  const Condition* condition = job.status.condition(names::kSuspended);
  return condition && condition->status ? condition : nullptr;
}

std::string resume_hint(const TrainingJob& job) {
  return "`kubectl lockstep resume " + job.meta.name + " -n " + job.meta.namespace_ + "`";
}

bool is_current(const TrainingJob& job) {
  return job.status.observed_generation >= job.meta.generation;
}

}  // namespace

Result<Change> suspension_of(const TrainingJob& job) {
  TRY(check(job, "suspended"));
  if (is_suspended(job)) return Change{{}, job.meta.name + " is suspended already"};
  return Change{true, job.meta.name + " is suspended: its nodes save and end; resume it with " +
                          resume_hint(job)};
}

Result<Change> resumption_of(const TrainingJob& job) {
  TRY(check(job, "resumed"));
  const std::string& queue = job.status.display.queue;
  if (is_suspended(job)) {
    return Change{false,
                  job.meta.name + (queue.empty() ? " is resumed"
                                                 : " is resumed, and waits in the queue " + queue +
                                                       ", which decides when it starts")};
  }
  if (held(job) && !queue.empty()) {
    return Change{{},
                  job.meta.name + " is not suspended: the queue " + queue +
                      " decides when it starts (" + held(job)->message + ")"};
  }
  return Change{{}, job.meta.name + " is not suspended"};
}

Result<Change> restart_of(const TrainingJob& job) {
  TRY(check(job, "restarted"));
  if (!is_suspended(job) && held(job)) {
    return failure(
        Kind::kConflict,
        job.meta.name + " does not run, so there is nothing to restart: " + held(job)->message);
  }
  if (!is_suspended(job))
    return Change{true, "suspending " + job.meta.name + ": its nodes save and end"};
  return failure(Kind::kConflict, job.meta.name +
                                      " is suspended, so there is nothing to restart: " +
                                      resume_hint(job) + " starts it");
}

nlohmann::json suspend_patch(bool suspend) {
  return {{"spec", {{"runPolicy", {{"suspend", suspend}}}}}};
}

bool is_stopped(const TrainingJob& job) {
  return is_current(job) && held(job) && held(job)->reason == names::kJobSuspended;
}

Step after_resumption(const TrainingJob& job) {
  const JobStatus& status = job.status;
  const std::string attempt = "attempt " + std::to_string(status.attempt);
  if (!is_current(job)) return {.sentence = "resumed: waiting for the operator"};
  if (status.is_finished()) {
    return {"the job has ended: " + std::string(phase_name(status.phase)), true,
            status.is(names::kComplete)};
  }
  if (const Condition* hold = held(job)) {
    return {"its queue decides when " + attempt + " starts: " + hold->message, true, true};
  }
  if (status.phase == Phase::kRunning) return {attempt + " runs on all nodes", true, true};
  for (const char* type : {names::kPodsCreated, names::kRunning}) {
    const Condition* condition = status.condition(type);
    if (condition && !condition->status) return {.sentence = attempt + ": " + condition->message};
  }
  return {.sentence = attempt + " starts"};
}

std::string what_is_left(const TrainingJob& job) {
  if (is_suspended(job)) {
    return job.meta.name + " is suspended now, its checkpoints stay: " + resume_hint(job) +
           " starts it";
  }
  return job.meta.name + " is resumed and " + after_resumption(job).sentence +
         "; `kubectl lockstep doctor " + job.meta.name + "` says what it waits for";
}

}  // namespace lockstep
