// spec.runPolicy: how a job starts, restarts and ends. Fields and rules: docs/api.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/faults.h"

namespace lockstep {

enum class CleanPodPolicy { kRunning, kAll, kNone };
enum class SuccessPolicy { kAllNodes, kFirstNode };

// The waits between restarts.
struct RestartBackoff {
  int initial_seconds = 10;  // before the second restart in a row; it doubles from there
  int max_seconds = 300;
  int reset_after_seconds = 600;  // so long without a loss, and the count in a row begins anew
};

enum class FailureAction { kRestart, kRestartWithoutCounting, kFail };

// What a failed container means, by its user. Exit codes and reasons both have to match where both
// are given.
struct FailureRule {
  struct ExitCodes {
    int first = 0;
    int last = 0;  // inclusive
    bool operator==(const ExitCodes&) const = default;
  };
  std::vector<ExitCodes> exit_codes;
  std::vector<std::string> reasons;
  FailureAction action = FailureAction::kRestart;
};

struct RunPolicy {
  bool is_suspended = false;
  std::string managed_by;  // empty: us
  int backoff_limit = 3;
  std::optional<int> disruption_limit;  // absent: unbounded
  RestartBackoff restart_backoff;
  std::vector<FailureRule> failure_rules;  // the first that matches decides
  SuccessPolicy success_policy = SuccessPolicy::kAllNodes;
  int success_grace_seconds = 30;  // for the nodes that still run when the first is done
  std::optional<int> active_deadline_seconds;
  int startup_deadline_seconds = 1800;
  std::optional<int> stall_timeout_seconds;   // absent: a job may stand still
  int pod_termination_timeout_seconds = 120;  // beyond a pod's own grace period
  CleanPodPolicy clean_pod_policy = CleanPodPolicy::kRunning;
  std::optional<int> ttl_seconds_after_finished;
};

// From the whole spec.
RunPolicy parse_run_policy(const nlohmann::json& spec, Faults& faults);

}  // namespace lockstep
