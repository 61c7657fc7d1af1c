// Sorts pods by owner, attempt and rank, and reads their state.
#include "operator/plan/nodes.h"

#include <algorithm>
#include <charconv>

#include "operator/api/names.h"
#include "operator/plan/disruption.h"
#include "operator/plan/last_words.h"
#include "operator/plan/ownership.h"

namespace lockstep {
namespace {

// A whole number in a label; -1 when it is absent or something else.
int number_label(const Pod& pod, const char* label) {
  const auto found = pod.meta.labels.find(label);
  if (found == pod.meta.labels.end()) return -1;
  int number = -1;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool has_name_of_a_node(const TrainingJob& job, const Pod& pod) {
  for (int rank = 0; rank < job.spec.num_nodes; ++rank) {
    if (pod.meta.name == pod_name(job, rank)) return true;
  }
  return false;
}

}  // namespace

bool Nodes::exist() const {
  return std::any_of(current.begin(), current.end(), [](const Pod* pod) { return pod; });
}

bool Nodes::all_exist() const {
  return std::all_of(current.begin(), current.end(), [](const Pod* pod) { return pod; });
}

bool Nodes::all_succeeded() const { return succeeded() == static_cast<int>(current.size()); }

int Nodes::succeeded() const {
  return static_cast<int>(std::count_if(current.begin(), current.end(),
                                        [](const Pod* pod) { return pod && has_succeeded(*pod); }));
}

std::optional<Time> Nodes::last_finish() const {
  std::optional<Time> last;
  for (const Pod* pod : current) {
    const ContainerState* trainer = pod ? trainer_of(*pod) : nullptr;
    if (trainer && trainer->terminated) last = std::max(last, trainer->terminated->finished);
  }
  return last;
}

Nodes sort_nodes(const TrainingJob& job, const std::vector<Pod>& pods) {
  Nodes nodes;
  nodes.current.resize(job.spec.num_nodes);
  for (const Pod& pod : pods) {
    if (!owns(job, pod.meta)) {
      if (has_name_of_a_node(job, pod)) nodes.foreign.push_back("Pod " + pod.meta.name);
      continue;
    }
    const int attempt = number_label(pod, names::kAttempt);
    const int rank = number_label(pod, names::kNodeRank);
    nodes.latest_attempt = std::max(nodes.latest_attempt, attempt);
    const bool is_current = attempt == job.status.attempt && rank >= 0 && rank < job.spec.num_nodes;
    if (is_current) {
      nodes.current[rank] = &pod;
    } else if (attempt < job.status.attempt) {
      nodes.earlier.push_back(&pod);
    }
  }
  return nodes;
}

std::vector<int> ranks_to_confirm(const TrainingJob& job, const std::vector<Pod>& pods) {
  std::vector<int> ranks;
  const bool is_needed = job.faults.empty() && job.status.pods_created &&
                         !job.status.is_finished() && !job.meta.deletion_time;
  if (!is_needed) return ranks;
  const Nodes nodes = sort_nodes(job, pods);
  for (int rank = 0; rank < job.spec.num_nodes; ++rank) {
    if (nodes.current[rank] == nullptr) ranks.push_back(rank);
  }
  return ranks;
}

const ContainerState* trainer_of(const Pod& pod) {
  for (const ContainerState& container : pod.containers) {
    if (container.name == names::kTrainerContainer) return &container;
  }
  return nullptr;
}

const ContainerState* failed_init_container(const Pod& pod) {
  for (const ContainerState& container : pod.init_containers) {
    const bool has_failed = container.terminated && container.terminated->exit_code != 0;
    if (has_failed && !container.is_side_car) return &container;
  }
  return nullptr;
}

bool has_succeeded(const Pod& pod) {
  const ContainerState* trainer = trainer_of(pod);
  const bool has_end = trainer && trainer->terminated;
  const bool ended_well = has_end ? trainer->terminated->exit_code == 0 : pod.phase == "Succeeded";
  const std::optional<Time> told_to_end = ended_well ? told_to_end_at(pod) : std::nullopt;
  if (!told_to_end) return ended_well;
  return has_end && (trainer->terminated->finished.value_or(Time::max()) < *told_to_end ||
                     parse_last_progress(trainer->terminated->message));
}

bool has_failed(const Pod& pod) {
  if (has_succeeded(pod)) return false;
  const ContainerState* trainer = trainer_of(pod);
  return (trainer && trainer->terminated) || failed_init_container(pod) || pod.phase == "Failed";
}

bool has_started(const Pod& pod) {
  const ContainerState* trainer = trainer_of(pod);
  return (trainer && (trainer->started || trainer->terminated)) || has_succeeded(pod);
}

bool has_ended(const Pod& pod) {
  if (pod.phase == "Succeeded" || pod.phase == "Failed") return true;
  return !pod.containers.empty() &&
         std::all_of(pod.containers.begin(), pod.containers.end(),
                     [](const ContainerState& container) { return container.terminated; });
}

bool is_ready(const Pod& pod) {
  const ContainerState* trainer = trainer_of(pod);
  return trainer && trainer->ready && trainer->started && !trainer->terminated;
}

bool is_scheduled(const Pod& pod) { return !pod.node_name.empty() || has_started(pod); }

const PodCondition* condition_of(const Pod& pod, std::string_view type) {
  for (const PodCondition& condition : pod.conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

}  // namespace lockstep
