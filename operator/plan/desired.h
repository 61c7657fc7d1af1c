// The objects a job asks for, as the JSON that is posted to create them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/api/training_job.h"

namespace lockstep {

// What the operator's flags say about pods.
struct PodDefaults {
  std::string trainer_image;
  std::vector<std::string> accelerators =
      default_accelerators();  // resource names; a trailing * matches any rest

  static std::vector<std::string> default_accelerators();
};

// "<job>-<node rank>": the name fences, since it can exist only once.
std::string pod_name(const TrainingJob& job, int node_rank);

// The headless Service that gives the pods their host names.
nlohmann::json desired_service(const TrainingJob& job);

// The pod of one node in the job's current attempt. Needs a job that is not `invalid`; never fails.
nlohmann::json desired_pod(const TrainingJob& job, int node_rank, const PodDefaults& defaults);

}  // namespace lockstep
