// What decide() answers: writes to make, as data.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "operator/api/resources.h"
#include "operator/api/training_job.h"

namespace lockstep {

struct Create {
  Resource resource;
  std::string name;
  nlohmann::json body;
};

// Delete with the uid as precondition. NotFound means it is done; Conflict may be a race: look
// again.
struct DeletePod {
  std::string name;
  std::string uid;
  std::optional<int> grace_seconds;  // absent: the pod's own; 0: force
};

// Delete the job itself, in the background: its children follow. Both are preconditions, so that a
// job that changed meanwhile is looked at again.
struct DeleteJob {
  std::string uid;
  std::string resource_version;
};

// A JSON merge patch of an object that others write too: metadata.resourceVersion in it is the
// precondition. NotFound means that it is no longer needed.
struct Patch {
  Resource resource;
  std::string name;
  bool is_of_status = false;
  nlohmann::json change;
};

using Action = std::variant<Create, DeletePod, DeleteJob, Patch>;

struct Event {
  bool is_warning = false;
  std::string reason;
  std::string message;
};

// Carried out in this order: the status first (merge patch with the observed resourceVersion; a
// conflict drops the whole plan), then the events, then the actions in their order. A plan that
// raises the attempt leaves the pods alone: what happens to them follows from it.
struct Plan {
  std::optional<JobStatus> status;  // absent: nothing changed
  std::vector<Event> events;
  std::vector<Action> actions;
  std::optional<Time>
      look_again;  // when time alone will change the answer; absent: wait for the next event
};

}  // namespace lockstep
