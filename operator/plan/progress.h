// What the launchers tell of the training, written into status.
#pragma once

#include "operator/plan/nodes.h"

namespace lockstep {

// A report changes status at most so often: each write costs every watcher of the job.
inline constexpr std::chrono::seconds kProgressInterval{10};

// What the nodes of the current attempt told; nullptr when nobody was asked yet.
const Reports* current_reports(const Observed& seen);

// `status` with the newest progress of the current attempt: the last words of a node that
// succeeded, else, where it is time for it, what the nodes answered. What is known stays when
// nobody says more.
void observe_progress(JobStatus& status, const Observed& seen, const Nodes& nodes, Time now);

// The columns PROGRESS, ETA, THROUGHPUT and LOSS.
void fill_progress_columns(JobStatus& status);

}  // namespace lockstep
