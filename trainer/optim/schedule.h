// Learning rate schedules as pure functions of the step: nothing to save, nothing to restore.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/config/config.h"

namespace lockstep {

// optim.lr for batches of `batch_size` samples over all ranks. Relative to optim.base_batch_size it
// grows as scale_lr says: linear (arXiv 1706.02677), sqrt (arXiv 1404.5997), or none.
double scaled_lr(const OptimConfig& optim, std::int64_t batch_size);

// The rate of step `step` (0-based) of `total_steps`, `steps_per_epoch` of them an epoch.
//
// Time is counted in units of schedule.per: step, or epoch, when the rate changes only as an epoch
// begins. A training of N units starts with W units of warm-up: warmup_steps or warmup_epochs. It
// is linear from warmup_start_lr (if that is 0, from base_lr / W) at unit 0 to base_lr at unit
// W - 1, so no unit runs at rate 0. With schedule.warmup gluoncv it is
//   warmup_start_lr + (base_lr - warmup_start_lr) * unit / W
// whose first unit, by default a whole epoch, runs at rate 0 and trains nothing.
//
// After it, with u units done since the warm-up, n = N - W and p = u / n:
//   constant     base_lr
//   multistep    base_lr * gamma ^ (how many of `milestones`, in epochs from the start, are past)
//   exponential  base_lr * gamma ^ (epochs since the warm-up)
//   linear       final_lr + (base_lr - final_lr) * (1 - p)
//   poly         final_lr + (base_lr - final_lr) * (1 - p) ^ power
//   cosine       final_lr + (base_lr - final_lr) * (1 + cos(pi * p)) / 2
//   wsd          base_lr, and over the last decay_fraction of the N units linear to final_lr
//                (warm-up, stable, decay: arXiv 2405.18392)
//   one_cycle    torch's OneCycleLR with max_lr = base_lr, total_steps = n, pct_start = peak_at,
//                div_factor, final_div_factor; warm-up is part of it (arXiv 1708.07120)
//   plateau      falls by gamma when `metrics` stop to improve; see plateau.h
// These are the values of torch.optim.lr_scheduler stepped once per unit. A step past the end uses
// the last value. A warm-up longer than the training is cut at its end.
// Throws std::invalid_argument for a negative step, counts below 1, and an unknown name.
//
// `metrics`: the results of all evaluations so far, oldest first; only plateau looks at them.
double learning_rate(const ScheduleConfig& schedule, double base_lr, std::int64_t step,
                     std::int64_t total_steps, std::int64_t steps_per_epoch,
                     std::span<const double> metrics = {});

}  // namespace lockstep
