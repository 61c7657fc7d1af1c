// kubectl lockstep describe: all that is known of one job. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/api/meta.h"
#include "operator/plugin/table.h"

namespace lockstep {

struct Surroundings {
  std::vector<nlohmann::json> pods;
  std::vector<nlohmann::json> companions;  // Service, NetworkPolicy, Workload, PodGroup
  std::vector<nlohmann::json> events;      // of the job
};

// Errors: kInvalid when `job` is no whole object.
Result<std::string> describe_job(const nlohmann::json& job, const Surroundings& around, Time now,
                                 const Paint& paint = {});

}  // namespace lockstep
