// Warm-up, then the schedule's own curve; see schedule.h.
#include "trainer/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "trainer/optim/plateau.h"

namespace lockstep {
namespace {

// A moment after the warm-up.
struct Moment {
  double unit;          // since the warm-up
  double units;         // from the warm-up to the end
  double units_left;    // to the end
  double units_in_all;  // the warm-up too
  double epoch;         // since the start, whole
  double epochs;        // since the warm-up
  std::span<const double> metrics;

  double progress() const { return unit / units; }
};

using Curve = double (*)(const ScheduleConfig&, double base_lr, const Moment&);

double between(double from, double to, double share) { return to + (from - to) * share; }

double cosine_between(double from, double to, double progress) {
  return between(from, to, (1 + std::cos(std::numbers::pi * progress)) / 2);
}

double constant(const ScheduleConfig&, double base_lr, const Moment&) { return base_lr; }

double multistep(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  const auto past = std::count_if(schedule.milestones.begin(), schedule.milestones.end(),
                                  [&](int milestone) { return milestone <= now.epoch; });
  return base_lr * std::pow(schedule.gamma, past);
}

double exponential(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  return base_lr * std::pow(schedule.gamma, now.epochs);
}

double linear(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  return between(base_lr, schedule.final_lr, 1 - now.progress());
}

double poly(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  return between(base_lr, schedule.final_lr, std::pow(1 - now.progress(), schedule.power));
}

double cosine(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  return cosine_between(base_lr, schedule.final_lr, now.progress());
}

double wsd(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  const double decay = std::round(schedule.decay_fraction * now.units_in_all);
  if (now.units_left >= decay) return base_lr;
  return between(base_lr, schedule.final_lr, now.units_left / decay);
}

// The peak is at unit peak_at * n - 1, which need not be whole.
double one_cycle(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  const double peak = schedule.peak_at * now.units - 1;
  const double first = base_lr / schedule.div_factor;
  if (now.unit <= peak) return cosine_between(first, base_lr, peak > 0 ? now.unit / peak : 1);
  const double fall = now.units - 1 - peak;
  return cosine_between(base_lr, first / schedule.final_div_factor, (now.unit - peak) / fall);
}

double plateau(const ScheduleConfig& schedule, double base_lr, const Moment& now) {
  return plateau_lr(schedule, base_lr, now.metrics);
}

const struct {
  const char* name;
  Curve curve;
} kCurves[] = {{"constant", constant}, {"multistep", multistep}, {"exponential", exponential},
               {"linear", linear},     {"poly", poly},           {"cosine", cosine},
               {"wsd", wsd},           {"one_cycle", one_cycle}, {"plateau", plateau}};

Curve curve_of(const std::string& name) {
  for (const auto& known : kCurves) {
    if (name == known.name) return known.curve;
  }
  throw std::invalid_argument("no schedule is named " + name);
}

std::int64_t warmup_units(const ScheduleConfig& schedule, std::int64_t units,
                          double units_per_epoch) {
  const auto from_epochs = std::llround(schedule.warmup_epochs * units_per_epoch);
  return std::min<std::int64_t>(schedule.warmup_steps + from_epochs, units);
}

double warmup_lr(const ScheduleConfig& schedule, double base_lr, double unit, double warmup) {
  const double start = schedule.warmup_start_lr;
  if (schedule.warmup == "gluoncv") return between(start, base_lr, 1 - unit / warmup);
  if (start == 0) return base_lr * (unit + 1) / warmup;
  return warmup == 1 ? base_lr : between(start, base_lr, 1 - unit / (warmup - 1));
}

}  // namespace

double scaled_lr(const OptimConfig& optim, std::int64_t batch_size) {
  const double ratio = static_cast<double>(batch_size) / optim.base_batch_size;
  if (optim.scale_lr == "linear") return optim.lr * ratio;
  if (optim.scale_lr == "sqrt") return optim.lr * std::sqrt(ratio);
  return optim.lr;
}

double learning_rate(const ScheduleConfig& schedule, double base_lr, std::int64_t step,
                     std::int64_t total_steps, std::int64_t steps_per_epoch,
                     std::span<const double> metrics) {
  if (step < 0 || total_steps < 1 || steps_per_epoch < 1) {
    throw std::invalid_argument("learning_rate: the step is negative or a count is below 1");
  }
  const std::int64_t steps_per_unit = schedule.per == "epoch" ? steps_per_epoch : 1;
  const double units_per_epoch = static_cast<double>(steps_per_epoch) / steps_per_unit;
  const std::int64_t units = (total_steps + steps_per_unit - 1) / steps_per_unit;
  const std::int64_t unit = std::min(step, total_steps - 1) / steps_per_unit;
  const std::int64_t warmup = warmup_units(schedule, units, units_per_epoch);
  if (unit < warmup) return warmup_lr(schedule, base_lr, unit, warmup);
  return curve_of(schedule.name)(schedule, base_lr,
                                 {.unit = static_cast<double>(unit - warmup),
                                  .units = static_cast<double>(units - warmup),
                                  .units_left = static_cast<double>(units - unit),
                                  .units_in_all = static_cast<double>(units),
                                  .epoch = std::floor(unit / units_per_epoch),
                                  .epochs = (unit - warmup) / units_per_epoch,
                                  .metrics = metrics});
}

}  // namespace lockstep
