// The jobs to look at, each at most once at a time.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <stop_token>
#include <utility>

#include "operator/api/meta.h"
#include "operator/base/mutex.h"

namespace lockstep {

// A key that is added while it waits is there once; added while it is worked on, it comes again
// after done(). So no key is ever worked on twice at once, and no change is missed. Threads: any.
class WorkQueue {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds kFirstRetry{5};
  static constexpr std::chrono::milliseconds kLongestRetry{300'000};

  void add(const ObjectKey& key);
  void add_after(const ObjectKey& key, std::chrono::milliseconds delay);

  // After a failure: 5 ms, doubled with each one in a row up to 5 minutes. Returns the delay.
  std::chrono::milliseconds retry(const ObjectKey& key);
  // After a success: the next failure is the first in a row.
  void forget(const ObjectKey& key);

  // Waits for a key; nullopt once a stop is requested. Each key taken must be given to done().
  std::optional<ObjectKey> take(const std::stop_token& stop);
  void done(const ObjectKey& key);

  // Keys that are due and not taken yet.
  std::size_t depth() const;

 private:
  void add_now(const ObjectKey& key) REQUIRES(mutex_);
  void promote_due(Clock::time_point now) REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::queue<ObjectKey> ready_ GUARDED_BY(mutex_);
  std::set<ObjectKey> dirty_ GUARDED_BY(mutex_);    // to be worked on, whether in ready_ or not
  std::set<ObjectKey> working_ GUARDED_BY(mutex_);  // taken and not done
  std::map<ObjectKey, Clock::time_point> due_ GUARDED_BY(mutex_);  // the soonest wish of each key
  std::set<std::pair<Clock::time_point, ObjectKey>> schedule_ GUARDED_BY(mutex_);  // due_ by time
  std::map<ObjectKey, int> failures_ GUARDED_BY(mutex_);
};

}  // namespace lockstep
