// Measures spans, for bench.
#pragma once

#include <ATen/record_function.h>
#include <c10/core/Event.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "trainer/speed/split.h"

namespace lockstep {

// While it lives, notes when each Span of this thread begins and ends: on a CPU by the clock, on a
// device by events in its stream, so that nothing waits for the device before split(). One at a
// time on a thread.
class StepTimes {
 public:
  explicit StepTimes(at::Device device);
  ~StepTimes();
  StepTimes(const StepTimes&) = delete;
  StepTimes& operator=(const StepTimes&) = delete;

  // Waits for the device.
  Split split();

 private:
  using Clock = std::chrono::steady_clock;
  struct Instant {
    Clock::time_point host;
    std::optional<c10::Event> device;
  };
  struct Noted {
    std::string name;
    bool is_begin;
    Instant at;
  };
  static std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& span);
  static void on_end(const at::RecordFunction& span, at::ObserverContext*);
  Instant now() const;
  double seconds_until(const Instant& instant) const;

  at::Device device_;
  Instant start_;
  std::vector<Noted> noted_;
  at::CallbackHandle callback_;
};

}  // namespace lockstep
