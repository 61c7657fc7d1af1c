// spec of a TrainingJob: what the user asks for. Fields and rules: docs/api.md.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/api/faults.h"
#include "operator/api/node_group.h"
#include "operator/api/run_policy.h"

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

// The memory-backed volume at /dev/shm.
struct SharedMemory {
  bool is_enabled = true;
  std::string size_limit;  // a quantity; empty: what the container's memory limit leaves
};

// Who makes sure that all nodes start or none.
enum class Gang { kNone, kAuto, kVolcano, kCoscheduling, kNative };

std::string_view gang_name(Gang gang);  // "None", "Auto", ...

struct SchedulingPolicy {
  Gang gang = Gang::kNone;
  std::string queue;                // Volcano's
  std::string priority_class_name;  // of the pods, and of their group
  std::optional<int> schedule_timeout_seconds;
};

// spec, with defaults applied. Fields that only pass through to the pod stay raw JSON.
struct JobSpec {
  int num_nodes = 1;                       // of all groups
  std::vector<NodeGroup> node_groups{{}};  // by rank; one without a name when spec has none
  std::optional<int> master_port;  // absent: 29500, or one of the job's own with hostNetwork
  std::string image;               // empty: the template's, else the operator's default
  std::vector<std::string> command;
  std::vector<std::string> args;
  bool injects_launcher = false;                        // launcher: Inject
  nlohmann::json env = nlohmann::json::array();         // of core/v1 EnvVar
  nlohmann::json resources = nlohmann::json::object();  // core/v1 ResourceRequirements
  nlohmann::json config;                                // null: none
  nlohmann::json pod_template = nlohmann::json::object();
  std::vector<Mount> mounts;
  std::optional<Checkpoints> checkpoints;
  SharedMemory shared_memory;
  bool is_isolated = true;  // networkPolicy: JobOnly
  SchedulingPolicy scheduling;
  RunPolicy run_policy;
};

// Units: bytes of spec.config as compact JSON. It travels in one environment variable, and Linux
// bounds those.
inline constexpr std::size_t kMaxConfigBytes = 64 * 1024;

// Each fault is a sentence for the user: what, where, what instead. The CRD refuses most of them
// earlier.
JobSpec parse_spec(const nlohmann::json& spec, Faults& faults);

}  // namespace lockstep
