// Gang scheduling: all nodes of a job start or none does. Whose scheduler does it is the user's
// choice; each has a PodGroup of its own kind.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "operator/api/training_job.h"
#include "operator/plan/platform.h"

namespace lockstep {

// The kind of PodGroup that the job gets; absent when it asks for none or none is served.
std::optional<Resource> pod_groups_of(const JobSpec& spec, const Platform& platform);

// spec of the job's PodGroup.
nlohmann::json pod_group_spec(const JobSpec& spec, const Resource& pod_groups);

// Makes a pod a member of the job's PodGroup.
void join_pod_group(nlohmann::json& pod, const TrainingJob& job, const Platform& platform);

// What the user has to know when the gang that was asked for is not served; empty otherwise.
std::string why_no_gang(const JobSpec& spec, const Platform& platform);

}  // namespace lockstep
