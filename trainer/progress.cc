// Formats what a run has done and has left to do.
#include "trainer/progress.h"

#include <cmath>
#include <cstdio>

namespace lockstep {
namespace {

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

double seconds_between(Progress::Time from, Progress::Time to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string short_number(double value) {
  constexpr double kThousand = 1e3, kMillion = 1e6;
  if (value < kThousand - 0.5) return format("%.0f", value);
  if (value < kMillion - 50) return format("%.1fk", value / kThousand);
  return format("%.1fM", value / kMillion);
}

std::string short_duration(std::chrono::seconds duration) {
  const long long total = duration.count();
  if (total >= 3600) return format("%lldh%02lldm", total / 3600, total / 60 % 60);
  return format("%lldm%02llds", total / 60, total % 60);
}

void Progress::count(std::int64_t step, Time now) {
  if (start_step_ >= 0) return;
  start_step_ = last_step_ = step;
  start_time_ = last_time_ = now;
}

std::string Progress::line(std::int64_t step, double loss, double rate, Time now) {
  std::string text =
      format("epoch %lld/%lld step %lld/%lld loss %.4f lr %.4g",
             static_cast<long long>(plan_.epoch_of(step)), static_cast<long long>(plan_.epochs),
             static_cast<long long>(step), static_cast<long long>(plan_.total_steps), loss, rate);
  if (step > last_step_ && last_step_ >= 0) {
    const double samples = static_cast<double>((step - last_step_) * plan_.batch_size);
    const double seconds_per_step =
        seconds_between(start_time_, now) / static_cast<double>(step - start_step_);
    const double left = seconds_per_step * static_cast<double>(plan_.total_steps - step);
    text += format(" %s samples/s eta %s",
                   short_number(samples / seconds_between(last_time_, now)).c_str(),
                   short_duration(std::chrono::seconds(std::llround(left))).c_str());
  }
  last_step_ = step;
  last_time_ = now;
  return text;
}

}  // namespace lockstep
