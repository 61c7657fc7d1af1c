// Formats what a run has done and has left to do.
#include "trainer/progress.h"

#include <algorithm>
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

double share_of(Progress::Duration part, double seconds) {
  return std::clamp(std::chrono::duration<double>(part).count() / seconds, 0.0, 1.0);
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

std::string short_size(double bytes) {
  constexpr double kKibi = 1024, kMebi = 1024 * kKibi, kGibi = 1024 * kMebi;
  if (bytes < kMebi) return format("%.0f KiB", bytes / kKibi);
  return bytes < kGibi ? format("%.0f MiB", bytes / kMebi) : format("%.1f GiB", bytes / kGibi);
}

void Progress::count(std::int64_t step, std::int64_t samples, Time now) {
  if (start_step_ >= 0) {
    samples_ += samples;
    return;
  }
  start_step_ = step;
  start_time_ = now;
  begin_interval(step, now);
}

void Progress::waited_for_ranks(std::optional<Duration> duration) {
  if (!duration) comm_wait_.reset();
  if (comm_wait_) *comm_wait_ += *duration;
}

Figures Progress::measure(std::int64_t step, double loss, Time now) {
  Figures figures{.loss = loss};
  if (step > last_step_ && last_step_ >= 0) {
    const double seconds = seconds_between(last_time_, now);
    figures.samples_per_second = static_cast<double>(samples_) / seconds;
    figures.seconds_remaining = seconds_between(start_time_, now) /
                                static_cast<double>(step - start_step_) *
                                static_cast<double>(plan_.total_steps - step);
    figures.data_wait = share_of(data_wait_, seconds);
    if (comm_wait_) figures.comm_wait = share_of(*comm_wait_, seconds);
  }
  begin_interval(step, now);
  return figures;
}

void Progress::begin_interval(std::int64_t step, Time now) {
  last_step_ = step;
  last_time_ = now;
  samples_ = 0;
  data_wait_ = {};
  comm_wait_ = Duration{};
}

std::string Progress::line(std::int64_t step, double rate, const Figures& figures) const {
  std::string text = format("epoch %lld/%lld step %lld/%lld loss %.4f lr %.4g",
                            static_cast<long long>(plan_.epoch_of(step)),
                            static_cast<long long>(plan_.epochs), static_cast<long long>(step),
                            static_cast<long long>(plan_.total_steps), *figures.loss, rate);
  if (!figures.samples_per_second) return text;
  const std::chrono::seconds left(std::llround(*figures.seconds_remaining));
  text += format(" %s samples/s eta %s", short_number(*figures.samples_per_second).c_str(),
                 short_duration(left).c_str());
  if (figures.mfu) text += format(" mfu %.1f%%", *figures.mfu * 100);
  if (figures.memory) text += " memory " + short_size(*figures.memory);
  return text;
}

}  // namespace lockstep
