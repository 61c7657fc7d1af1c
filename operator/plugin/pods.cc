// What the pods of a job say about themselves.
#include "operator/plugin/pods.h"

#include <algorithm>
#include <charconv>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

int number(const std::string& text, int fallback) {
  int value = fallback;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string variable(const json& pod, const char* name) {
  for (const json& container : fields::list(fields::member(pod, "spec"), "containers")) {
    if (fields::text(container, "name") != names::kTrainerContainer) continue;
    for (const json& each : fields::list(container, "env")) {
      if (fields::text(each, "name") == name) return fields::text(each, "value");
    }
  }
  return "";
}

std::string joined(const std::string& reason, const std::string& message) {
  return message.empty() ? reason : reason.empty() ? message : reason + ": " + message;
}

}  // namespace

std::string label(const json& object, const char* name) {
  return fields::text(fields::member(fields::member(object, "metadata"), "labels"), name);
}

int node_rank(const json& pod) { return number(label(pod, names::kNodeRank), 0); }

std::vector<json> by_node_rank(std::vector<json> pods) {
  std::stable_sort(pods.begin(), pods.end(),
                   [](const json& a, const json& b) { return node_rank(a) < node_rank(b); });
  return pods;
}

std::vector<json> of_attempt(const std::vector<json>& pods, const ObjectMeta& job, int attempt) {
  std::vector<json> found;
  for (const json& pod : pods) {
    const bool is_ours = label(pod, names::kJobUid) == job.uid &&
                         label(pod, names::kAttempt) == std::to_string(attempt);
    if (is_ours) found.push_back(pod);
  }
  return by_node_rank(std::move(found));
}

RankRange ranks_of(const json& pod) {
  return {.first = number(variable(pod, contract::kRankOffset), 0),
          .count = std::max(1, number(variable(pod, contract::kLocalWorldSize), 1))};
}

std::string why_not_ready(const Pod& pod) {
  if (!pod.reason.empty()) return joined(pod.reason, pod.message);
  for (const PodCondition& condition : pod.conditions) {
    if (condition.type == "PodScheduled" && !condition.status) {
      return joined(condition.reason, condition.message);
    }
  }
  for (const auto* containers : {&pod.init_containers, &pod.containers}) {
    for (const ContainerState& container : *containers) {
      if (!container.waiting_reason.empty()) {
        return joined(container.waiting_reason, container.waiting_message);
      }
      if (container.terminated && container.terminated->exit_code != 0) {
        return joined(container.terminated->reason,
                      "exited with " + std::to_string(container.terminated->exit_code));
      }
    }
  }
  return "";
}

}  // namespace lockstep
