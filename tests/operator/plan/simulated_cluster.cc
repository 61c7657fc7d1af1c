// The cluster of crash_test.cc.
#include "tests/operator/plan/simulated_cluster.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/ownership.h"

namespace lockstep {
namespace {

using nlohmann::json;

int attempt_of(const json& pod) {
  return std::stoi(pod["metadata"]["labels"][names::kAttempt].get<std::string>());
}

bool is_over(const json& pod) {
  const std::string phase = pod["status"]["phase"];
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

SimulatedCluster::SimulatedCluster(int nodes, int backoff_limit, unsigned seed)
    : random_(seed),
      now_(*parse_time("2026-01-02T12:00:00Z")),
      job_({{"metadata", {{"name", "sim"}, {"namespace", "ml"}, {"uid", "job"}, {"generation", 1}}},
            {"spec", {{"numNodes", nodes}, {"runPolicy", {{"backoffLimit", backoff_limit}}}}},
            {"status", json::object()}}) {
  remember();
}

bool SimulatedCluster::chance(double probability) {
  return std::uniform_real_distribution<>()(random_) < probability;
}

json* SimulatedCluster::any_pod() {
  if (pods_.empty()) return nullptr;
  const auto index = std::uniform_int_distribution<std::size_t>(0, pods_.size() - 1)(random_);
  return &std::next(pods_.begin(), static_cast<long>(index))->second;
}

void SimulatedCluster::remember() { history_.push_back(pods_); }

void SimulatedCluster::start(json& pod) {
  pod["spec"]["nodeName"] = "worker";
  pod["status"] = {{"phase", "Running"},
                   {"containerStatuses",
                    json::array({{{"name", "trainer"},
                                  {"ready", true},
                                  {"state", {{"running", {{"startedAt", format_time(now_)}}}}}}})}};
}

void SimulatedCluster::finish(json& pod, int exit_code) {
  pod["status"]["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
  pod["status"]["containerStatuses"] = json::array(
      {{{"name", "trainer"},
        {"state",
         {{"terminated", {{"exitCode", exit_code}, {"finishedAt", format_time(now_)}}}}}}});
}

void SimulatedCluster::live() {
  now_ += std::chrono::milliseconds(std::uniform_int_distribution<>(100, 20000)(random_));
  if (chance(0.02)) {
    json& suspend = job_["spec"]["runPolicy"]["suspend"];
    suspend = !(suspend.is_boolean() && suspend.get<bool>());
    ++job_version_;
  }
  json* pod = any_pod();
  if (!pod) return;
  json& metadata = (*pod)["metadata"];
  if (metadata.contains("deletionTimestamp")) {
    if (chance(0.5)) pods_.erase(metadata["name"].get<std::string>());
  } else if (chance(0.05)) {  // a user, an eviction, a lost machine
    if (chance(0.3)) {
      pods_.erase(metadata["name"].get<std::string>());
    } else {
      metadata["deletionTimestamp"] = format_time(now_);
      if (chance(0.5)) {
        (*pod)["status"]["conditions"] =
            json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}});
      }
    }
  } else if ((*pod)["status"]["phase"] == "Pending") {
    start(*pod);
  } else if (!is_over(*pod) && chance(0.3)) {
    const int codes[] = {0, 0, 0, 0, 1, 75, 80, 137};
    finish(*pod, codes[std::uniform_int_distribution<>(0, 7)(random_)]);
  }
  remember();
}

void SimulatedCluster::live_kindly() {
  now_ += std::chrono::seconds(30);
  job_["spec"]["runPolicy"]["suspend"] = false;
  std::erase_if(pods_, [](const auto& entry) {
    return entry.second["metadata"].contains("deletionTimestamp");
  });
  for (auto& [name, pod] : pods_) {
    if (pod["status"]["phase"] == "Pending") {
      start(pod);
    } else if (!is_over(pod)) {
      finish(pod, 0);
    }
  }
  remember();
}

void SimulatedCluster::catch_up_view() {
  const std::size_t newest = history_.size() - 1;
  if (chance(0.6)) {
    view_ = newest;
  } else {
    view_ = std::uniform_int_distribution<std::size_t>(view_, newest)(random_);
  }
}

void SimulatedCluster::operate(bool may_crash) {
  catch_up_view();
  Observed seen;
  seen.job = parse_training_job(job_).value();
  for (const auto& [name, pod] : history_[view_]) seen.pods.push_back(parse_pod(pod).value());
  seen.companions = companions_;
  for (const int rank : ranks_to_confirm(seen.job, seen.pods)) {  // live GETs
    const auto found = pods_.find(pod_name(seen.job, rank));
    if (found == pods_.end()) {
      seen.gone_ranks.insert(rank);
    } else {
      seen.pods.push_back(parse_pod(found->second).value());
    }
  }
  const int observed_version = job_version_;
  if (chance(0.3)) live();  // the world moves while the operator thinks
  const Plan plan = decide(seen, now_);
  if (plan.status && !write(*plan.status, observed_version)) return;  // the plan is dropped
  for (const Action& action : plan.actions) {
    if (may_crash && chance(0.15)) {
      ++crashes_;
      view_ = history_.size() - 1;  // the next operator begins with a list
      return;
    }
    write(action);
  }
}

bool SimulatedCluster::write(const JobStatus& status, int observed_version) {
  if (observed_version != job_version_) {
    ++conflicts_;
    return false;
  }
  const JobStatus before = job_status();
  expect(!before.is_finished(), "the status of a finished job was written");
  expect(status.attempt >= before.attempt, "the attempt went back");
  expect(status.restarts.failures <= job_["spec"]["runPolicy"]["backoffLimit"].get<int>(),
         "more failures were restarted than backoffLimit allows");
  job_["status"].merge_patch(merge_patch(to_json(before), to_json(status)));
  ++job_version_;
  return true;
}

void SimulatedCluster::write(const Action& action) {
  if (const auto* wanted = std::get_if<Create>(&action)) create(*wanted);
  if (const auto* pod = std::get_if<DeletePod>(&action)) remove(*pod);
}

void SimulatedCluster::create(const Create& action) {
  expect(!is_finished(), "an object was created for a finished job");
  if (action.resource != kPods) {
    json companion = action.body;
    companion["metadata"]["uid"] = "companion";
    companions_.push_back(parse_companion(action.resource, companion).value());
    return;
  }
  if (pods_.contains(action.name)) return;  // 409
  for (const auto& [name, pod] : pods_) {
    expect(attempt_of(pod) == attempt_of(action.body), "two attempts have pods at once");
  }
  json pod = action.body;
  pod["metadata"]["uid"] = "pod-" + std::to_string(next_uid_++);
  pod["status"] = {{"phase", "Pending"}};
  pods_[action.name] = std::move(pod);
  remember();
}

void SimulatedCluster::remove(const DeletePod& action) {
  const auto found = pods_.find(action.name);
  if (found == pods_.end() || found->second["metadata"]["uid"] != action.uid) return;  // 404, 409
  expect(is_finished() || attempt_of(found->second) < job_status().attempt,
         "a pod of an unfinished job was deleted before the attempt was raised");
  found->second["metadata"]["deletionTimestamp"] = format_time(now_);
  remember();
}

void SimulatedCluster::expect(bool holds, const std::string& what) {
  if (!holds) faults_.push_back(what + "\n" + picture());
}

std::string SimulatedCluster::picture() const {
  std::string text = job_["status"].dump(1);
  for (const auto& [name, pod] : pods_) {
    text += "\n" + name + " of attempt " + std::to_string(attempt_of(pod)) + ": " +
            pod["status"].dump();
  }
  return text;
}

}  // namespace lockstep
