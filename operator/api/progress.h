// How far a training is: status.progress, and what a node's launcher tells (docs/progress.md).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "operator/api/meta.h"

namespace lockstep {

struct Progress {
  std::optional<std::int64_t> epoch = {};  // from 1
  std::optional<std::int64_t> epochs = {};
  std::optional<std::int64_t> step = {};  // done since the run began
  std::optional<std::int64_t> steps = {};
  std::optional<std::int64_t> checkpoint_step = {};
  std::optional<double> loss = {};
  std::optional<double> samples_per_second = {};
  std::optional<double> seconds_remaining = {};
  std::optional<double> data_wait = {};  // shares of the time, 0 to 1
  std::optional<double> comm_wait = {};
  bool operator==(const Progress&) const = default;
};

// By steps where they are known, else by epochs; rounded down, so that 100 means all of it.
std::optional<int> percent_of(const Progress& progress);

// Values that make no sense read as absent.
Progress parse_progress(const nlohmann::json& source);
nlohmann::json to_json(const Progress& progress);

// One answer to GET /progress.
struct NodeReport {
  struct Rank {
    int node_rank = 0;
    int rank = 0;
    std::string phase = {};  // "step", ...; empty when the rank has not said
    std::int64_t epoch = 0;
    std::optional<std::int64_t> step = {};
    double silent_seconds = 0;
    bool is_stopped = false;  // by SIGSTOP or a debugger
  };
  std::string job = {};
  std::string uid = {};  // of the job
  int attempt = 0;
  int node_rank = 0;
  std::optional<double> silent_seconds = {};  // of all its ranks together; absent: none has spoken
  std::optional<Progress> progress = {};      // of its lowest rank that speaks
  std::optional<Rank> slowest = {};           // the rank that the others wait for
};

// The rank that the others wait for comes first: a stopped one, then of those that told a step the
// furthest behind, of equals one that saves a checkpoint, then the longest silent.
bool is_behind(const NodeReport::Rank& one, const NodeReport::Rank& other);

// Untrusted input. nullopt for what is no answer of schema 1.
std::optional<NodeReport> parse_node_report(std::string_view page);

// What the nodes of one attempt answered when they were asked last, by node rank. A node that gave
// no answer is there without one; one that was not asked is not there.
struct Reports {
  int attempt = 0;
  std::map<int, std::optional<NodeReport>> nodes;
};

}  // namespace lockstep
