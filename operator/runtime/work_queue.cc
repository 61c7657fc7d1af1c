// client-go's dirty and processing sets, with delays.
#include "operator/runtime/work_queue.h"

#include <algorithm>

namespace lockstep {

void WorkQueue::add(const ObjectKey& key) {
  MutexLock lock(mutex_);
  add_now(key);
}

void WorkQueue::add_now(const ObjectKey& key) {
  if (!dirty_.insert(key).second || working_.contains(key)) return;
  ready_.push(key);
  changed_.notify_one();
}

void WorkQueue::add_after(const ObjectKey& key, std::chrono::milliseconds delay) {
  if (delay.count() <= 0) return add(key);
  MutexLock lock(mutex_);
  const auto due = Clock::now() + delay;
  const auto [entry, is_new] = due_.try_emplace(key, due);
  if (!is_new) {
    if (entry->second <= due) return;
    schedule_.erase({entry->second, key});
    entry->second = due;
  }
  schedule_.emplace(due, key);
  changed_.notify_all();  // whoever waits may be waiting for a later one
}

std::chrono::milliseconds WorkQueue::retry(const ObjectKey& key) {
  std::chrono::milliseconds delay;
  {
    MutexLock lock(mutex_);
    const int doublings = std::min(failures_[key]++, 20);
    delay = std::min(kFirstRetry * (1 << doublings), kLongestRetry);
  }
  add_after(key, delay);
  return delay;
}

void WorkQueue::forget(const ObjectKey& key) {
  MutexLock lock(mutex_);
  failures_.erase(key);
}

std::optional<ObjectKey> WorkQueue::take(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    promote_due(Clock::now());
    if (!ready_.empty()) {
      const ObjectKey key = ready_.front();
      ready_.pop();
      dirty_.erase(key);
      working_.insert(key);
      return key;
    }
    const auto next =
        schedule_.empty() ? Clock::now() + std::chrono::hours(1) : schedule_.begin()->first;
    changed_.wait_until(mutex_, stop, next, [this, next]() REQUIRES(mutex_) {
      return !ready_.empty() || (!schedule_.empty() && schedule_.begin()->first < next);
    });
  }
  return std::nullopt;
}

void WorkQueue::promote_due(Clock::time_point now) {
  while (!schedule_.empty() && schedule_.begin()->first <= now) {
    const ObjectKey key = schedule_.begin()->second;
    schedule_.erase(schedule_.begin());
    due_.erase(key);
    add_now(key);
  }
}

void WorkQueue::done(const ObjectKey& key) {
  MutexLock lock(mutex_);
  working_.erase(key);
  if (!dirty_.contains(key)) return;
  ready_.push(key);
  changed_.notify_one();
}

std::size_t WorkQueue::depth() const {
  MutexLock lock(mutex_);
  return ready_.size();
}

}  // namespace lockstep
