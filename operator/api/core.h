// Slim views of the built-in objects: only the fields that decisions are made from.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/meta.h"
#include "operator/api/resources.h"
#include "operator/api/workload.h"

namespace lockstep {

struct ContainerState {
  std::string name;
  bool ready = false;
  bool is_side_car = false;  // an init container that the kubelet starts again
  std::string
      waiting_reason;  // "ImagePullBackOff", "ContainerCreating", ...; empty when not waiting
  std::string waiting_message;
  std::optional<Time> started;  // running or terminated: when it started
  struct Terminated {
    int exit_code = 0;
    int signal = 0;
    std::string reason;   // "Error", "Completed", "OOMKilled", "StartError", ...
    std::string message;  // the termination message, untrusted text
    std::optional<Time> finished;
  };
  std::optional<Terminated> terminated;
};

struct PodCondition {
  std::string type;  // "PodScheduled", "Ready", "DisruptionTarget", ...
  bool status = false;
  std::string reason;
  std::string message;
  std::optional<Time> last_transition;
};

struct Pod {
  ObjectMeta meta;
  std::string phase;   // "Pending", "Running", "Succeeded", "Failed", "Unknown"
  std::string reason;  // "Evicted", "NodeShutdown", ... for pods that the kubelet ended
  std::string message;
  std::string node_name;
  std::string ip;  // empty until it has one
  std::vector<PodCondition> conditions;
  std::vector<ContainerState> init_containers;
  std::vector<ContainerState> containers;
};

// Any object of a job that is not a pod: its Service, NetworkPolicy, PodGroup or Workload.
struct Companion {
  Resource resource;
  ObjectMeta meta;
  std::optional<Workload> workload;  // of kWorkloads only: the one kind whose status we act on
};

// Read one whole object. Unknown fields are ignored, absent ones read as empty. Errors: kInvalid
// without usable metadata.
Result<Pod> parse_pod(const nlohmann::json& object);
Result<Companion> parse_companion(const Resource& resource, const nlohmann::json& object);

}  // namespace lockstep
