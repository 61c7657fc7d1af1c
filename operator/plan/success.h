// When a job has succeeded: runPolicy.successPolicy.
#pragma once

#include <optional>
#include <string>

#include "operator/plan/view.h"

namespace lockstep {

struct Success {
  std::string reason;  // names::kAllNodesSucceeded, ...
  std::string message;
  Time finished;  // the last of the nodes that it took
};

// Absent while the current attempt has not met the policy.
std::optional<Success> success_of(const View& view);

// Until when the nodes of a finished job that still run may go on; in the past when they may not.
Time peers_end_at(const TrainingJob& job);

}  // namespace lockstep
