// When to ask which job for its progress. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>

#include "operator/api/meta.h"

namespace lockstep {

// Each job at its interval; one that does not answer ever less, down to once a minute. Jobs are
// spread over the interval, so that they do not all come due at once.
class PollSchedule {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kLongestPause{60};

  explicit PollSchedule(std::chrono::milliseconds interval) : interval_(interval) {}

  // Whether it is time; a job that was never asked is due at its place in the interval.
  bool is_due(const ObjectKey& job, Instant now);

  // `sooner`: when the next answer could matter, where that is before its turn.
  void answered(const ObjectKey& job, Instant now,
                std::optional<std::chrono::milliseconds> sooner = {});
  void failed(const ObjectKey& job, Instant now);

  // Forgets all jobs but those for which `is_wanted` is true.
  template <typename Predicate>
  void keep(Predicate is_wanted) {
    std::erase_if(turns_, [&](const auto& entry) { return !is_wanted(entry.first); });
  }

 private:
  struct Turn {
    Instant next;
    int failures = 0;  // in a row
  };

  const std::chrono::milliseconds interval_;
  std::map<ObjectKey, Turn> turns_;
};

// At most so many wishes in a second, and each job's at most once an interval; less often where
// that leaves none for others.
class WakeBudget {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  WakeBudget(double per_second, std::chrono::milliseconds interval)
      : per_second_(per_second), interval_(interval), tokens_(per_second) {}

  bool take(const ObjectKey& job, Instant now);

  template <typename Predicate>
  void keep(Predicate is_wanted) {
    std::erase_if(taken_, [&](const auto& entry) { return !is_wanted(entry.first); });
  }

 private:
  const double per_second_;
  const std::chrono::milliseconds interval_;
  double tokens_;
  std::optional<Instant> filled_;
  std::map<ObjectKey, std::optional<Instant>> taken_;  // by every job that ever asked
};

}  // namespace lockstep
