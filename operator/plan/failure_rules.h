// What a user says that failures mean: runPolicy.failureRules.
#pragma once

#include <vector>

#include "operator/api/job_status.h"
#include "operator/api/run_policy.h"

namespace lockstep {

// The first rule that matches the failed container, or nullptr. Judged by what stands in
// status.lastFailure, so that a second look gives the same answer.
const FailureRule* matching_rule(const std::vector<FailureRule>& rules, const LastFailure& failure);

}  // namespace lockstep
