// The active deadline.
#include "operator/plan/deadline.h"

namespace lockstep {

std::optional<Time> active_deadline(const RunPolicy& policy, const JobStatus& status) {
  if (!policy.active_deadline_seconds || !status.start_time || status.is_finished()) {
    return std::nullopt;
  }
  return *status.start_time + std::chrono::seconds(*policy.active_deadline_seconds);
}

}  // namespace lockstep
