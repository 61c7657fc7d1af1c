// Speed, waits and remaining time of a run, and how they are shown. Pure: the caller brings the
// clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "trainer/plan.h"
#include "trainer/status/status.h"

namespace lockstep {

class Progress {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  explicit Progress(const Plan& plan) : plan_(plan) {}

  // Step number `step` is done, of so many samples over all ranks. Time is measured from the first
  // one on, which is slow itself.
  void count(std::int64_t step, std::int64_t samples, Time now);

  // Parts of a step, told before it is counted. Empty: cannot be known here.
  void waited_for_data(Duration duration) { data_wait_ += duration; }
  void waited_for_ranks(std::optional<Duration> duration);

  // Of the steps since the last call; only the loss until there is something to measure.
  Figures measure(std::int64_t step, double loss, Time now);

  // "epoch 1/2 step 120/938 loss 0.4213 lr 0.05 5.1k samples/s eta 0m31s mfu 41.2% memory 1.9 GiB",
  // as far as it is known.
  std::string line(std::int64_t step, double rate, const Figures& figures) const;

 private:
  void begin_interval(std::int64_t step, Time now);

  Plan plan_;
  Time start_time_{}, last_time_{};
  std::int64_t start_step_ = -1, last_step_ = -1;
  std::int64_t samples_ = 0;  // since last_time_
  Duration data_wait_{};
  std::optional<Duration> comm_wait_ = Duration{};
};

// 5123 -> "5.1k", 87 -> "87", 2400000 -> "2.4M".
std::string short_number(double value);

// 497 KiB, 300 MiB, 1.9 GiB.
std::string short_size(double bytes);

// "0m31s", "12m05s", "3h07m".
std::string short_duration(std::chrono::seconds duration);

}  // namespace lockstep
