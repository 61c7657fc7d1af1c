// What a job asks of its Kueue queue: quota for all its nodes at once.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "operator/api/training_job.h"
#include "operator/plan/observed.h"
#include "operator/plan/plan.h"

namespace lockstep {

// The LocalQueue that the job's label names; empty: the job asks nobody.
std::string queue_of(const TrainingJob& job);

// What Kueue calls the nodes of a group.
std::string pod_set_name(const NodeGroup& group);

// The class that gives the job its priority in the queue: Kueue's by label, else the pods'.
std::optional<ClusterObject> priority_class_of(const TrainingJob& job);

// spec of the job's Workload, but for `active` and for the value of the priority class. It depends
// on the job's spec and on the platform alone, so that it is the same in every pass.
nlohmann::json workload_spec(const TrainingJob& job, const Platform& platform);

// The job's Workload as it is created, but for the value of the priority class: a cluster knows it.
Create desired_workload(const TrainingJob& job, const Platform& platform);

// Tells one request from another without comparing what the API server filled in.
std::string fingerprint(const nlohmann::json& workload_spec);

// The job's own Workload; nullptr when it has none. Its `workload` is set.
const Companion* workload_of(const Observed& seen);

// Whether the job has no Workload yet, or one that holds no quota and asks for something else.
bool has_to_ask(const Observed& seen);

}  // namespace lockstep
