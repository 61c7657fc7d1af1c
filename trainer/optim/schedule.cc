// Warm-up, then the schedule's own curve; see schedule.h.
#include "trainer/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace lockstep {
namespace {

std::int64_t warmup_steps(const ScheduleConfig& schedule, std::int64_t total_steps,
                          std::int64_t steps_per_epoch) {
  const auto from_epochs = std::llround(schedule.warmup_epochs * steps_per_epoch);
  return std::min<std::int64_t>(schedule.warmup_steps + from_epochs, total_steps);
}

double cosine(double from, double to, double progress) {
  return to + (from - to) * (1 + std::cos(std::numbers::pi * progress)) / 2;
}

}  // namespace

double learning_rate(const ScheduleConfig& schedule, double base_lr, std::int64_t step,
                     std::int64_t total_steps, std::int64_t steps_per_epoch) {
  if (step < 0 || total_steps < 1 || steps_per_epoch < 1) {
    throw std::invalid_argument("learning_rate: the step is negative or a count is below 1");
  }
  const std::int64_t warmup = warmup_steps(schedule, total_steps, steps_per_epoch);
  const std::int64_t at = std::min(step, total_steps - 1);
  if (at < warmup) return base_lr * static_cast<double>(at + 1) / static_cast<double>(warmup);
  if (schedule.name == "constant") return base_lr;
  const double progress =
      static_cast<double>(at - warmup) / static_cast<double>(total_steps - warmup);
  return cosine(base_lr, schedule.final_lr, progress);
}

}  // namespace lockstep
