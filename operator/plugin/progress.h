// How far a job is: from its status, and from its nodes' progress pages (docs/progress.md). Pure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace lockstep {

// What is absent, or outside the ranges of docs/progress.md, is not known.
struct Progress {
  std::optional<std::int64_t> epoch, epochs, step, steps, checkpoint_step;
  std::optional<double> loss, samples_per_second, seconds_remaining;
  std::optional<double> data_wait, comm_wait;  // shares of 1
};

// status.progress of a job, or `progress` of a page: their names are the same.
Progress parse_progress(const nlohmann::json& source);

struct Slowest {
  int node_rank = 0;
  int rank = 0;
  std::string phase;  // one of docs/progress.md, or empty
  std::int64_t epoch = 0;
  std::int64_t step = 0;
  double silent_seconds = 0;
};

struct NodePage {
  Progress progress;
  std::optional<Slowest> slowest;
};

// Untrusted: any program may answer. nullopt when it is not such a page.
std::optional<NodePage> parse_page(const std::string& text);

// "120/900", "120" or "".
std::string steps_text(const Progress& progress);
// "13%" or "".
std::string done_text(const Progress& progress);
// "epoch 1/3, step 120/900 (13%), loss 0.42, 5.1k samples/s, 2m10s left, checkpoint of step 100"
std::string describe(const Progress& progress);

}  // namespace lockstep
