// Walks the history from its start each time: it is short.
#include "trainer/optim/plateau.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep {
namespace {

constexpr double kLeastFall = 1e-8;  // ReduceLROnPlateau's eps: a smaller fall is none

double worst(Better better) {
  const double infinity = std::numeric_limits<double>::infinity();
  return better == Better::kLower ? infinity : -infinity;
}

// torch's threshold_mode "rel": signed, so a negative metric has to get worse for nothing to count.
bool improves_by_share(double metric, double best, double threshold, Better better) {
  return better == Better::kLower ? metric < best * (1 - threshold)
                                  : metric > best * (1 + threshold);
}

bool improves_by(double metric, double best, double delta, Better better) {
  return better == Better::kLower ? metric < best - delta : metric > best + delta;
}

}  // namespace

Better better_of(const std::string& metric) {
  return metric == "loss" ? Better::kLower : Better::kHigher;
}

double plateau_lr(const ScheduleConfig& schedule, double base_lr, std::span<const double> metrics) {
  const Better better = better_of(schedule.metric);
  double rate = base_lr, best = worst(better);
  int bad = 0, cooldown = 0;
  for (const double metric : metrics) {
    const bool improves = improves_by_share(metric, best, schedule.threshold, better);
    if (improves) best = metric;
    bad = improves ? 0 : bad + 1;
    if (cooldown > 0) {
      --cooldown;
      bad = 0;
    }
    if (bad <= schedule.patience) continue;
    const double lower = std::max(rate * schedule.gamma, schedule.final_lr);
    if (rate - lower > kLeastFall) rate = lower;
    cooldown = schedule.cooldown;
    bad = 0;
  }
  return rate;
}

bool should_stop_early(const EarlyStop& rule, std::span<const double> metrics) {
  double best = worst(rule.better);
  int bad = 0;
  for (const double metric : metrics) {
    const bool improves = improves_by(metric, best, rule.min_delta, rule.better);
    if (improves) best = metric;
    bad = improves ? 0 : bad + 1;
    if (bad > rule.patience) return true;
  }
  return false;
}

}  // namespace lockstep
