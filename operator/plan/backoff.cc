// Exponential back-off that begins anew after a stable stretch.
#include "operator/plan/backoff.h"

#include <algorithm>

#include "operator/api/names.h"

namespace lockstep {

using std::chrono::seconds;

int restarts_in_a_row(const RestartBackoff& backoff, const JobStatus& status, Time now) {
  const Condition* running = status.condition(names::kRunning);
  const bool was_stable = running && running->status &&
                          now - running->last_transition >= seconds(backoff.reset_after_seconds);
  return was_stable ? 1 : status.restarts.consecutive + 1;
}

seconds restart_delay(const RestartBackoff& backoff, int consecutive) {
  if (consecutive <= 1) return seconds(0);
  const int doublings = std::min(consecutive - 2, 30);  // beyond any maxSeconds
  return std::min(seconds(backoff.initial_seconds) * (std::int64_t{1} << doublings),
                  seconds(backoff.max_seconds));
}

}  // namespace lockstep
