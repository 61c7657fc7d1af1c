// Speed and remaining time of a run, and how they are shown. Pure: the caller brings the clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "trainer/plan.h"

namespace lockstep {

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Progress(const Plan& plan) : plan_(plan) {}

  // Step number `step` is done. Time is measured from the first one on, which is slow itself.
  void count(std::int64_t step, Time now);

  // "epoch 1/2 step 120/938 loss 0.4213 lr 0.05 5.1k samples/s eta 0m31s" for the steps since the
  // last line; speed and remaining time are left out until there is something to measure.
  std::string line(std::int64_t step, double loss, double rate, Time now);

 private:
  Plan plan_;
  Time start_time_{}, last_time_{};
  std::int64_t start_step_ = -1, last_step_ = -1;
};

// 5123 -> "5.1k", 87 -> "87", 2400000 -> "2.4M".
std::string short_number(double value);

// "0m31s", "12m05s", "3h07m".
std::string short_duration(std::chrono::seconds duration);

}  // namespace lockstep
