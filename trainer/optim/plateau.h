// What follows from how a validation metric has gone: a lower rate, or the end. Pure functions of
// the whole history, so a resumed run needs nothing but the history.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "trainer/config/config.h"

namespace lockstep {

enum class Better { kLower, kHigher };

// "loss" is better when lower, every other metric when higher.
Better better_of(const std::string& metric);

// The rate after the evaluations `metrics`, as torch's ReduceLROnPlateau has it: an evaluation
// improves on the best one when it is better by more than `threshold` of it. After more than
// `patience` in a row that do not, the rate falls by gamma, not below final_lr, and the next
// `cooldown` evaluations count for nothing. A metric that is no number never improves.
double plateau_lr(const ScheduleConfig& schedule, double base_lr, std::span<const double> metrics);

struct EarlyStop {
  int patience = 10;     // evaluations in a row without improvement that are put up with
  double min_delta = 0;  // better by no more than this is no improvement
  Better better = Better::kLower;
};

// Whether to stop after the evaluations `metrics`: more than `patience` of the last did not improve
// on the best before them. Once true it stays true, whatever follows.
bool should_stop_early(const EarlyStop& rule, std::span<const double> metrics);

}  // namespace lockstep
