// spec of a TrainingJob: what the user asks for. Fields and rules: docs/api.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/run_policy.h"
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

// Units: bytes of spec.config as compact JSON. It travels in one environment variable, and Linux
// bounds those.
inline constexpr std::size_t kMaxConfigBytes = 64 * 1024;

// Errors: kInvalid with one sentence for the user: what, where, what instead. The CRD refuses most
// of these earlier.
Result<JobSpec> parse_spec(const nlohmann::json& spec);

}  // namespace lockstep
