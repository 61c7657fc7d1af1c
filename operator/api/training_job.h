// The TrainingJob, as this operator reads and writes it. Fields and rules: docs/api.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/api/meta.h"
#include "operator/base/result.h"

namespace lockstep {

struct Mount {
  std::string claim_name;
  std::string path;
  bool is_read_only = false;
};

struct Checkpoints {
  std::string claim_name;
  std::string path = "/checkpoints";
  std::string sub_path;  // empty: the job's name
};

enum class CleanPodPolicy { kRunning, kAll, kNone };

struct RunPolicy {
  bool is_suspended = false;
  std::string managed_by;  // empty: us
  int backoff_limit = 3;
  int startup_deadline_seconds = 1800;
  CleanPodPolicy clean_pod_policy = CleanPodPolicy::kRunning;
};

// spec, with defaults applied. Fields that only pass through to the pod stay raw JSON.
struct JobSpec {
  int num_nodes = 1;
  std::optional<int> proc_per_node;  // absent: auto
  int master_port = 29500;
  std::string image;  // empty: the template's, else the operator's default
  std::vector<std::string> command;
  std::vector<std::string> args;
  nlohmann::json env = nlohmann::json::array();         // of core/v1 EnvVar
  nlohmann::json resources = nlohmann::json::object();  // core/v1 ResourceRequirements
  nlohmann::json config;                                // null: none
  nlohmann::json pod_template = nlohmann::json::object();
  std::vector<Mount> mounts;
  std::optional<Checkpoints> checkpoints;
  RunPolicy run_policy;
};

enum class Phase { kPending, kStarting, kRunning, kRestarting, kSuspended, kSucceeded, kFailed };
enum class AttemptCause { kInitial, kFailure, kDisruption, kSuspend, kPartialCreate };

std::string_view phase_name(Phase phase);
std::string_view cause_name(AttemptCause cause);

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
  std::optional<LastFailure> last_failure;
  Display display;
  bool operator==(const JobStatus&) const = default;

  // The condition of that type, or nullptr.
  const Condition* condition(std::string_view type) const;
  bool is(std::string_view type) const;  // the condition exists and is True
  bool is_finished() const;              // Complete or Failed
};

struct TrainingJob {
  ObjectMeta meta;
  nlohmann::json raw_spec;  // as the API server sent it
  JobSpec spec;             // meaningless while `invalid` is set
  std::string invalid;      // one sentence: what in spec makes no sense; empty when it does
  JobStatus status;
};

// Reads a whole object. A spec that makes no sense sets `invalid`; damaged status fields read as
// absent. Errors: kInvalid when the object has no usable metadata (name, namespace, uid).
Result<TrainingJob> parse_training_job(const nlohmann::json& object);

// What is written under "status"; absent values are left out.
nlohmann::json to_json(const JobStatus& status);

// The JSON merge patch (RFC 7386) that turns `before` into `after`; an empty object when they are
// equal.
nlohmann::json merge_patch(const nlohmann::json& before, const nlohmann::json& after);

}  // namespace lockstep
