// What happens in the cluster in memory, and what is seen of it.
#include "tests/operator/plan/world.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/ownership.h"
#include "tests/operator/plan/stored_pod.h"

namespace lockstep {
namespace {

using nlohmann::json;

bool is_labelled(const json& pod, const std::string& job) {
  return pod.at("metadata").at("labels").value(names::kJobName, "") == job;
}

// Times, also those that end a sentence, become distances from now: two histories that stand at the
// same point look the same.
void count_from(json& value, Time now) {
  constexpr std::size_t kLength = sizeof("2026-01-02T12:00:00Z") - 1;
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (!text.ends_with('Z') || text.size() < kLength) return;
    const auto time = parse_time(text.substr(text.size() - kLength));
    if (time)
      text.replace(text.size() - kLength, kLength,
                   std::to_string((*time - now) / std::chrono::seconds(1)));
  } else if (value.is_structured()) {
    for (json& member : value) count_from(member, now);
  }
}

}  // namespace

World::World(const std::vector<StoredJob>& jobs, int quota)
    : now_(*parse_time("2026-01-02T12:00:00Z")), quota_(quota) {
  for (const StoredJob& job : jobs) jobs_.emplace(job.name(), job);
}

StoredJob* World::owner_of(const json& pod) {
  for (auto& [name, job] : jobs_) {
    if (uid_of_owner(pod) == job.uid()) return &job;
  }
  return nullptr;
}

void World::take_name(const std::string& pod) {
  pods_[pod] = {{"metadata",
                 {{"name", pod},
                  {"namespace", "ml"},
                  {"uid", "pod-" + std::to_string(next_uid_++)},
                  {"labels", json::object()}}},
                {"status", {{"phase", "Pending"}}}};
}

void World::start(const std::string& pod) {
  pods_.at(pod)["spec"]["nodeName"] = "worker";
  pods_.at(pod)["status"] = {
      {"phase", "Running"},
      {"containerStatuses",
       json::array({{{"name", "trainer"},
                     {"ready", true},
                     {"state", {{"running", {{"startedAt", format_time(now_)}}}}}}})}};
}

void World::finish(const std::string& pod, int exit_code) {
  json& object = pods_.at(pod);
  if (StoredJob* job = owner_of(object)) {
    const int attempt = number_label(object, names::kAttempt);
    if (exit_code != 0) job->note_failure(attempt);
    if (exit_code == 0) job->note_success(attempt, number_label(object, names::kNodeRank));
  }
  json& status = object["status"];
  status["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
  status["containerStatuses"] = json::array(
      {{{"name", "trainer"},
        {"state",
         {{"terminated", {{"exitCode", exit_code}, {"finishedAt", format_time(now_)}}}}}}});
}

void World::evict(const std::string& pod) {
  pods_.at(pod)["status"]["conditions"] =
      json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}});
  remove(pod);
}

void World::remove(const std::string& pod) {
  note_disruption(pod);
  pods_.at(pod)["metadata"]["deletionTimestamp"] = format_time(now_);
}

void World::vanish(const std::string& pod) {
  if (!is_going(pod)) note_disruption(pod);
  pods_.erase(pod);
}

void World::note_disruption(const std::string& pod) {
  const json& object = pods_.at(pod);
  if (StoredJob* job = owner_of(object))
    job->note_disruption(number_label(object, names::kAttempt));
}

Observed World::observed(const std::string& job, const Pods& pods) const {
  Observed seen;
  seen.job = this->job(job).job();
  for (const auto& [name, pod] : pods) {
    if (is_labelled(pod, job)) seen.pods.push_back(parse_pod(pod).value());
  }
  const auto companions = companions_.find(seen.job.meta.uid);
  if (companions != companions_.end()) seen.companions = companions->second;
  for (const int rank : ranks_to_confirm(seen.job, seen.pods)) {  // live GETs
    const auto found = pods_.find(pod_name(seen.job, rank));
    if (found == pods_.end()) {
      seen.gone_ranks.insert(rank);
    } else {
      seen.pods.push_back(parse_pod(found->second).value());
    }
  }
  return seen;
}

bool World::is_over(const std::string& pod) const {
  const std::string phase = pods_.at(pod).at("status").at("phase");
  return phase == "Succeeded" || phase == "Failed";
}

bool World::is_pending(const std::string& pod) const {
  return pods_.at(pod).at("status").at("phase") == "Pending";
}

bool World::is_going(const std::string& pod) const {
  return pods_.at(pod).at("metadata").contains("deletionTimestamp");
}

bool World::is_ours(const std::string& pod) const {
  return std::any_of(jobs_.begin(), jobs_.end(), [&](const auto& job) {
    return uid_of_owner(pods_.at(pod)) == job.second.uid();
  });
}

bool World::is_finished() const {
  return std::all_of(jobs_.begin(), jobs_.end(),
                     [](const auto& job) { return job.second.status().is_finished(); });
}

std::string World::key() const {
  json state;
  for (const auto& [name, job] : jobs_) {
    state["jobs"].push_back(job.key());
    const auto companions = companions_.find(job.uid());
    state["companions"].push_back(companions == companions_.end() ? 0 : companions->second.size());
  }
  for (const auto& [name, pod] : pods_) {
    const json& metadata = pod["metadata"];
    state["pods"][name] = {pod["status"], metadata.value("deletionTimestamp", ""),
                           uid_of_owner(pod), metadata["labels"].value(names::kAttempt, "")};
  }
  count_from(state, now_);
  return state.dump();
}

std::string World::picture() const {
  std::string text;
  for (const auto& [name, job] : jobs_) text += name + ": " + to_json(job.status()).dump(1) + "\n";
  for (const auto& [name, pod] : pods_) {
    text += name + " of attempt " + pod["metadata"]["labels"].value(names::kAttempt, "?") + ": " +
            pod["status"].dump() + "\n";
  }
  return text;
}

}  // namespace lockstep
