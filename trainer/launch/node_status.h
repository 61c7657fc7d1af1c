// What a node tells about its ranks: the pages /progress and /metrics of docs/progress.md. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trainer/launch/status_pipe.h"

namespace lockstep {

struct RankStatus {
  int rank = 0;
  bool is_running = true;
  bool is_stopped = false;  // SIGSTOP, or a debugger
  Report report;
  std::optional<double> silent_seconds;  // since its last report or its end; none before the first
  LineCounts lines;
};

struct NodeStatus {
  std::string job;  // empty outside the operator
  std::string uid;  // likewise
  int attempt = 1;
  int node_rank = 0;
  std::vector<RankStatus> ranks;  // in ascending order
};

// Seconds since any rank reported or ended: while one saves, the others wait in silence, and the
// end of one is not the moment to hold the silence before it against the others. None before the
// first report, and when no rank that has reported has anything left to do.
std::optional<double> silent_seconds(const std::vector<RankStatus>& ranks);

// The rank that the others would wait for: a stopped one, then the furthest behind of
// those that told a step, then one that
// saves what the others have computed as well, then the longest silent. nullptr before the first
// report.
const RankStatus* slowest(const std::vector<RankStatus>& ranks);

// The answer stays below 64 KiB: of more ranks than that only the first ones are listed.
inline constexpr std::size_t kMostListedRanks = 256;

// Every rank said "done".
bool is_done(const NodeStatus& node);

// {"progress": {...}}, as on the page: what is left of a node that ended well. Empty when no rank
// reported.
std::string final_progress(const NodeStatus& node);

// One JSON object.
std::string progress_page(const NodeStatus& node);

// Prometheus text format, labelled by rank; the job's name is for the scraper to add.
std::string metrics_page(const NodeStatus& node);

}  // namespace lockstep
