// Learning rate schedules as pure functions of the step: nothing to save, nothing to restore.
#pragma once

#include <cstdint>

#include "trainer/config/config.h"

namespace lockstep {

// The rate of step `step` (0-based) of `total_steps`, `steps_per_epoch` of them an epoch.
//
// Warm-up of W steps is linear and starts above zero: step s < W uses base_lr * (s + 1) / W, so
// that step W - 1 runs at base_lr. After it
//   constant: base_lr
//   cosine:   final_lr + (base_lr - final_lr) * (1 + cos(pi * (s - W) / (total - W))) / 2
// which are the values of torch's CosineAnnealingLR(T_max = total - W, eta_min = final_lr)
// stepped once per step. A step past the end uses the last value.
// W is warmup_steps or warmup_epochs * steps_per_epoch rounded; a warm-up longer than the training
// is cut at its end. Throws std::invalid_argument for a negative step or counts below 1.
double learning_rate(const ScheduleConfig& schedule, double base_lr, std::int64_t step,
                     std::int64_t total_steps, std::int64_t steps_per_epoch);

}  // namespace lockstep
