// The pods of a job, sorted by what they mean to its current attempt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operator/plan/observed.h"

namespace lockstep {

// Points into the pods that it was made from.
struct Nodes {
  std::vector<const Pod*> current;   // by node rank: the pod of the current attempt, or nullptr
  std::vector<const Pod*> earlier;   // ours, of earlier attempts
  std::vector<std::string> foreign;  // "Pod fashion-1": under a name of ours, controlled by others
  int latest_attempt = 0;            // of any pod of ours

  bool exist() const;  // a pod of the current attempt was seen
  bool all_exist() const;
  bool all_succeeded() const;
  int succeeded() const;                    // how many
  std::optional<Time> last_finish() const;  // of the trainers that ended
};

Nodes sort_nodes(const TrainingJob& job, const std::vector<Pod>& pods);

// Where the container called trainer stands; nullptr while the kubelet has not said.
const ContainerState* trainer_of(const Pod& pod);

// The init container that ended the pod; nullptr when none did. Side-cars are started again.
const ContainerState* failed_init_container(const Pod& pod);

// Only the trainer container decides: a side-car that runs on, or fails, does not matter. One that
// exits with 0 once the pod was told to end has been cut short: many programs answer SIGTERM so. It
// is believed when it ended in an earlier second, or when its launcher left progress, which says
// that the ranks were done.
bool has_succeeded(const Pod& pod);
bool has_failed(const Pod& pod);
bool has_started(const Pod& pod);  // the trainer container runs or ran
bool has_ended(const Pod& pod);    // all its containers did: the pod's phase says so a moment later
bool is_ready(const Pod& pod);
bool is_scheduled(const Pod& pod);

const PodCondition* condition_of(const Pod& pod, std::string_view type);

}  // namespace lockstep
