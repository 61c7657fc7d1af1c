// Built-in objects from their JSON.
#include "operator/api/core.h"

#include "operator/api/fields.h"

namespace lockstep {
namespace {

ContainerState::Terminated parse_terminated(const nlohmann::json& source) {
  return {.exit_code = fields::small_integer(source, "exitCode"),
          .signal = fields::small_integer(source, "signal"),
          .reason = fields::text(source, "reason"),
          .message = fields::text(source, "message"),
          .finished = fields::time(source, "finishedAt")};
}

ContainerState parse_container(const nlohmann::json& source) {
  const nlohmann::json& state = fields::member(source, "state");
  const nlohmann::json& waiting = fields::member(state, "waiting");
  const nlohmann::json& running = fields::member(state, "running");
  const nlohmann::json& terminated = fields::member(state, "terminated");
  ContainerState container;
  container.name = fields::text(source, "name");
  container.ready = fields::flag(source, "ready");
  container.waiting_reason = fields::text(waiting, "reason");
  container.waiting_message = fields::text(waiting, "message");
  container.started = fields::time(running.is_object() ? running : terminated, "startedAt");
  if (terminated.is_object()) container.terminated = parse_terminated(terminated);
  return container;
}

std::vector<ContainerState> parse_containers(const nlohmann::json& status, const char* key) {
  std::vector<ContainerState> containers;
  for (const nlohmann::json& source : fields::list(status, key)) {
    containers.push_back(parse_container(source));
  }
  return containers;
}

void mark_side_cars(const nlohmann::json& spec, std::vector<ContainerState>& init_containers) {
  for (const nlohmann::json& source : fields::list(spec, "initContainers")) {
    if (fields::text(source, "restartPolicy") != "Always") continue;
    for (ContainerState& container : init_containers) {
      if (container.name == fields::text(source, "name")) container.is_side_car = true;
    }
  }
}

PodCondition parse_condition(const nlohmann::json& source) {
  return {.type = fields::text(source, "type"),
          .status = fields::text(source, "status") == "True",
          .reason = fields::text(source, "reason"),
          .message = fields::text(source, "message"),
          .last_transition = fields::time(source, "lastTransitionTime")};
}

}  // namespace

Result<Pod> parse_pod(const nlohmann::json& object) {
  const nlohmann::json& status = fields::member(object, "status");
  Pod pod;
  pod.meta = TRY(parse_meta(object));
  pod.phase = fields::text(status, "phase");
  pod.reason = fields::text(status, "reason");
  pod.message = fields::text(status, "message");
  pod.node_name = fields::text(fields::member(object, "spec"), "nodeName");
  pod.ip = fields::text(status, "podIP");
  for (const nlohmann::json& source : fields::list(status, "conditions")) {
    pod.conditions.push_back(parse_condition(source));
  }
  pod.init_containers = parse_containers(status, "initContainerStatuses");
  mark_side_cars(fields::member(object, "spec"), pod.init_containers);
  pod.containers = parse_containers(status, "containerStatuses");
  return pod;
}

Result<Companion> parse_companion(const Resource& resource, const nlohmann::json& object) {
  Companion companion{.resource = resource, .meta = TRY(parse_meta(object)), .workload = {}};
  if (resource == kWorkloads) companion.workload = parse_workload(object);
  return companion;
}

}  // namespace lockstep
