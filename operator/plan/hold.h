// Why a job may not run at present: its user says so, or its queue has not let it in.
#pragma once

#include <optional>
#include <string>

#include "operator/plan/view.h"

namespace lockstep {

struct Hold {
  std::string reason;
  std::string message;
  std::optional<Time> retry_time;  // of a Workload that the API server refused
};

// Absent: nothing keeps the job from running. A job without a queue is held by its user only.
std::optional<Hold> hold_of(const View& view);

}  // namespace lockstep
