// The time, behind an interface, so that tests decide what time it is.
#pragma once

#include <chrono>

namespace lockstep {

// Threads: every member may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  // Wall-clock time, UTC: for time stamps that other machines read. It may jump.
  virtual std::chrono::sys_time<std::chrono::milliseconds> now() const = 0;

  // Monotonic time: for time-outs and measured durations.
  virtual std::chrono::steady_clock::time_point steady_now() const = 0;
};

class SystemClock final : public Clock {
 public:
  std::chrono::sys_time<std::chrono::milliseconds> now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  std::chrono::steady_clock::time_point steady_now() const override {
    return std::chrono::steady_clock::now();
  }
};

}  // namespace lockstep
