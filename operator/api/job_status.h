// status of a TrainingJob: the operator's only memory. Fields and rules: docs/api.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/api/meta.h"
#include "operator/api/progress.h"

namespace lockstep {

enum class Phase { kPending, kStarting, kRunning, kRestarting, kSuspended, kSucceeded, kFailed };
enum class AttemptCause { kInitial, kFailure, kDisruption, kSuspend, kPartialCreate };

std::string_view phase_name(Phase phase);         // "Pending", "Starting", ...
std::string_view cause_name(AttemptCause cause);  // "Initial", "Failure", ...

struct Restarts {
  int failures = 0;
  int disruptions = 0;
  int consecutive = 0;  // of both kinds since the last stable stretch: drives the back-off
  bool operator==(const Restarts&) const = default;
};

struct NodeCounts {
  int desired = 0;
  int pending = 0;
  int ready = 0;
  int succeeded = 0;
  int failed = 0;
  bool operator==(const NodeCounts&) const = default;
};

// The first to die in an attempt, not the loudest.
struct LastFailure {
  int attempt = 0;
  int node_rank = 0;
  std::optional<int> rank;  // global rank of the process, where the launcher told it
  std::string pod;
  std::string node;  // the Kubernetes node, empty when never scheduled
  std::optional<int> exit_code;
  int signal = 0;
  std::string reason;
  std::string message;
  std::optional<Time> finished_at;
  bool operator==(const LastFailure&) const = default;
};

// Strings for kubectl's columns only.
struct Display {
  std::string nodes;  // "2/2"
  std::string restarts;
  std::string progress;
  std::string eta;
  std::string throughput;
  std::string loss;
  std::string reason;
  std::string queue;
  bool operator==(const Display&) const = default;
};

// status. Times carry whole seconds, as they are written.
struct JobStatus {
  std::int64_t observed_generation = 0;
  Phase phase = Phase::kPending;
  std::vector<Condition> conditions;
  int attempt = 0;  // 0: not yet seen by the operator
  AttemptCause attempt_cause = AttemptCause::kInitial;
  std::optional<Time> attempt_start_time;
  bool pods_created = false;  // every pod of this attempt was seen once
  std::optional<Time> next_restart_time;
  std::optional<Time> create_retry_time;
  std::string image;  // what the first attempt used when spec names none
  Restarts restarts;
  NodeCounts nodes;
  int world_size = 0;
  std::string master_address;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  std::optional<Progress> progress;
  std::optional<Time> progress_time;  // when it was written
  std::optional<LastFailure> last_failure;
  Display display;
  bool operator==(const JobStatus&) const = default;

  // The condition of that type, or nullptr.
  const Condition* condition(std::string_view type) const;
  bool is(std::string_view type) const;  // the condition exists and is True
  bool is_finished() const;              // Complete or Failed
};

// Damaged or absent fields read as their defaults: status can always be worked out anew.
JobStatus parse_status(const nlohmann::json& status);

// What is written under "status"; absent values are left out.
nlohmann::json to_json(const JobStatus& status);

// The JSON merge patch (RFC 7386) that turns `before` into `after`; an empty object when they are
// equal.
nlohmann::json merge_patch(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace lockstep
