// Turns, pauses and the budget.
#include "operator/runtime/poll_schedule.h"

#include <algorithm>
#include <functional>

namespace lockstep {

using std::chrono::milliseconds;

bool PollSchedule::is_due(const ObjectKey& job, Instant now) {
  const auto [turn, is_new] = turns_.try_emplace(job);
  if (is_new) {
    const std::size_t place = std::hash<std::string>{}(job.namespace_ + "/" + job.name);
    turn->second.next = now + milliseconds(place % std::max<long>(1, interval_.count()));
  }
  return turn->second.next <= now;
}

void PollSchedule::answered(const ObjectKey& job, Instant now, std::optional<milliseconds> sooner) {
  turns_[job] = {now + std::min(interval_, sooner.value_or(interval_)), 0};
}

void PollSchedule::failed(const ObjectKey& job, Instant now) {
  Turn& turn = turns_[job];
  turn.failures = std::min(turn.failures + 1, 16);
  const auto pause = std::min<milliseconds>(interval_ * (1 << turn.failures), kLongestPause);
  turn.next = now + std::max(pause, interval_);
}

bool WakeBudget::take(const ObjectKey& job, Instant now) {
  const std::chrono::duration<double> since = now - filled_.value_or(now);
  tokens_ = std::min(per_second_, tokens_ + since.count() * per_second_);
  filled_ = now;
  std::optional<Instant>& taken = taken_[job];
  const std::chrono::duration<double> round(static_cast<double>(taken_.size()) / per_second_);
  const bool is_too_soon = taken && (now - *taken < interval_ || now - *taken < round);
  if (is_too_soon || tokens_ < 1) return false;
  tokens_ -= 1;
  taken = now;
  return true;
}

}  // namespace lockstep
