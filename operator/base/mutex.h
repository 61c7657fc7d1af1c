// A mutex, a lock and a condition variable that clang's -Wthread-safety can check; plain std types
// under other compilers.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#if defined(__clang__)
#define LOCKSTEP_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define LOCKSTEP_THREAD_ANNOTATION(x)
#endif

#define CAPABILITY(name) LOCKSTEP_THREAD_ANNOTATION(capability(name))
#define SCOPED_CAPABILITY LOCKSTEP_THREAD_ANNOTATION(scoped_lockable)
#define GUARDED_BY(mutex) LOCKSTEP_THREAD_ANNOTATION(guarded_by(mutex))
#define PT_GUARDED_BY(mutex) LOCKSTEP_THREAD_ANNOTATION(pt_guarded_by(mutex))
#define REQUIRES(...) LOCKSTEP_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) LOCKSTEP_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define ACQUIRE(...) LOCKSTEP_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) LOCKSTEP_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS LOCKSTEP_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace lockstep {

class CAPABILITY("mutex") Mutex {
 public:
  void lock() ACQUIRE() { mutex_.lock(); }
  void unlock() RELEASE() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

class SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waiting is always for a condition, and always ends when the stop token is triggered.
// A predicate that reads guarded fields is written `[this]() REQUIRES(mutex_) { ... }`.
class CondVar {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  // Returns whether ready() holds; false means that a stop was requested first.
  template <typename Ready>
  bool wait(Mutex& mutex, std::stop_token stop, Ready ready)
      REQUIRES(mutex) NO_THREAD_SAFETY_ANALYSIS {
    return condition_.wait(mutex, std::move(stop), std::move(ready));
  }

  // Returns whether ready() holds; false means that the deadline or a stop came first.
  template <typename Ready>
  bool wait_until(Mutex& mutex, std::stop_token stop,
                  std::chrono::steady_clock::time_point deadline, Ready ready)
      REQUIRES(mutex) NO_THREAD_SAFETY_ANALYSIS {
    return condition_.wait_until(mutex, std::move(stop), deadline, std::move(ready));
  }

 private:
  std::condition_variable_any condition_;
};

}  // namespace lockstep
