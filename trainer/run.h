// One whole run of a rank, from its data to its goodbye.
#pragma once

#include "trainer/config/config.h"
#include "trainer/trainer.h"

namespace lockstep {

// Loads the data, meets the other ranks as the environment says, agrees with them on configuration
// and data, trains until done or asked to stop by a signal, and leaves.
// Throws what Trainer does; std::invalid_argument for a bad environment or when ranks differ in
// configuration; BadData for bad data or when ranks differ in it; PeerLost when they do not meet.
Outcome run_training(const Config& config);

// The same up to the agreement, then the figures of the newest checkpoint, which rank 0 also tells.
Evaluation run_evaluation(Config config);

// Everything of run_training short of training: a few steps, a batch of an evaluation, a
// checkpoint that is removed again. Rank 0 tells the times. Leaves no trace in files.
// Throws as run_training.
void run_rehearsal(Config config);

// Measures steps, with data made up in memory for the model, or with that of the configuration.
// Empty when asked to stop. Throws as run_training.
std::optional<BenchFigures> run_bench(Config config, const BenchPlan& plan, bool has_data);

}  // namespace lockstep
