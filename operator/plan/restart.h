// Restarts: the budgets and the one durable fact that a restart is.
#pragma once

#include <optional>
#include <string>

#include "operator/api/training_job.h"
#include "operator/plan/loss.h"
#include "operator/plan/verdict.h"

namespace lockstep {

// Absent: the job may restart all nodes.
std::optional<Verdict> final_verdict(const TrainingJob& job, const Loss& root);

// Counts the loss, unless a failure rule says not to, and begins the next attempt: its pods follow
// from the raised number.
JobStatus with_next_attempt(const RunPolicy& policy, JobStatus status, const Loss& root, Time now);

// The same without a loss: for a suspension or a half-made attempt, which cost no budget.
JobStatus with_new_attempt(JobStatus status, AttemptCause cause);

// The restart that was charged as a failure was a disruption after all: moves the charge, where
// disruptionLimit has room for it.
JobStatus with_charge_moved(const RunPolicy& policy, JobStatus status);

// "node 1 (pod fashion-1 on worker-3) exited with 3: rank 2 exited with code 3"
std::string describe(const LastFailure& failure);

}  // namespace lockstep
