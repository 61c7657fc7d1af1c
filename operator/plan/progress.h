// What the launchers tell of the training, written into status.
#pragma once

#include "operator/plan/observed.h"

namespace lockstep {

// A report changes status at most so often: each write costs every watcher of the job.
inline constexpr std::chrono::seconds kProgressInterval{10};

// `status` with the newest progress of the current attempt, where it is time for it. What is known
// stays when nobody answers.
void observe_progress(JobStatus& status, const Observed& seen, Time now);

// The columns PROGRESS, ETA, THROUGHPUT and LOSS.
void fill_progress_columns(JobStatus& status);

}  // namespace lockstep
