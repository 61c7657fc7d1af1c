// The rules of the cluster in memory.
#include "tests/operator/plan/world.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/ownership.h"

namespace lockstep {
namespace {

using nlohmann::json;

int label(const json& pod, const char* name) {
  return std::stoi(pod["metadata"]["labels"][name].get<std::string>());
}

std::string owner_of(const json& object) {
  return object.at("metadata").at("ownerReferences").at(0).at("uid");
}

// Times become distances from now: two histories that stand at the same point look the same.
void count_from(json& value, Time now) {
  if (value.is_string()) {
    const auto time = parse_time(value.get_ref<const std::string&>());
    if (time) value = std::chrono::duration_cast<std::chrono::seconds>(*time - now).count();
  } else if (value.is_structured()) {
    for (json& member : value) count_from(member, now);
  }
}

void forget_generations(json& value) {
  if (!value.is_structured()) return;
  if (value.is_object()) {
    value.erase("generation");
    value.erase("observedGeneration");
  }
  for (json& member : value) forget_generations(member);
}

}  // namespace

World::World(int nodes, const json& run_policy)
    : now_(*parse_time("2026-01-02T12:00:00Z")),
      job_({{"metadata",
             {{"name", "sim"}, {"namespace", "ml"}, {"uid", "job-1"}, {"generation", 1}}},
            {"spec", {{"numNodes", nodes}, {"runPolicy", run_policy}}},
            {"status", json::object()}}) {}

void World::set_suspended(bool value) {
  job_["spec"]["runPolicy"]["suspend"] = value;
  job_["metadata"]["generation"] = job_["metadata"]["generation"].get<int>() + 1;
  ++version_;
}

void World::recreate_job() {
  job_["metadata"]["uid"] = "job-2";
  job_["status"] = json::object();
  job_["spec"]["runPolicy"]["suspend"] = false;
  companions_.clear();
  attempts_.clear();
  ++version_;
}

void World::start(const std::string& pod) {
  at(pod)["spec"]["nodeName"] = "worker";
  at(pod)["status"] = {
      {"phase", "Running"},
      {"containerStatuses",
       json::array({{{"name", "trainer"},
                     {"ready", true},
                     {"state", {{"running", {{"startedAt", format_time(now_)}}}}}}})}};
}

void World::finish(const std::string& pod, int exit_code) {
  if (exit_code == 0) {
    history_of(pod).succeeded.insert(label(at(pod), names::kNodeRank));
  } else {
    history_of(pod).had_failure = true;
  }
  json& status = at(pod)["status"];
  status["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
  status["containerStatuses"] = json::array(
      {{{"name", "trainer"},
        {"state",
         {{"terminated", {{"exitCode", exit_code}, {"finishedAt", format_time(now_)}}}}}}});
}

void World::evict(const std::string& pod) {
  at(pod)["status"]["conditions"] =
      json::array({{{"type", "DisruptionTarget"}, {"status", "True"}}});
  remove(pod);
}

void World::remove(const std::string& pod) {
  note_disruption(pod);
  at(pod)["metadata"]["deletionTimestamp"] = format_time(now_);
}

void World::vanish(const std::string& pod) {
  if (!is_going(pod)) note_disruption(pod);
  pods_.erase(pod);
}

void World::note_disruption(const std::string& pod) {
  if (is_ours(pod)) history_of(pod).had_disruption = true;
}

World::History& World::history_of(const std::string& pod) {
  return attempts_[label(at(pod), names::kAttempt)];
}

Observed World::observed(const Pods& pods) const {
  Observed seen;
  seen.job = parse_training_job(job_).value();
  for (const auto& [name, pod] : pods) seen.pods.push_back(parse_pod(pod).value());
  seen.companions = companions_;
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

bool World::is_current(const TrainingJob& seen) const {
  const TrainingJob job = parse_training_job(job_).value();
  return job.meta.uid == seen.meta.uid && job.meta.generation == seen.meta.generation &&
         job.status.attempt <= seen.status.attempt;
}

bool World::write(const JobStatus& status, int observed_version) {
  if (observed_version != version_) return false;
  const JobStatus before = this->status();
  JobStatus noted = before;
  noted.observed_generation = status.observed_generation;
  expect(!before.is_finished() || status == noted, "the status of a finished job was changed");
  expect(status.attempt >= before.attempt, "the attempt went back");
  check_charge(before, status);
  if (status.is_finished()) check_end(status);
  job_["status"].merge_patch(merge_patch(to_json(before), to_json(status)));
  ++version_;
  return true;
}

// Every new attempt is charged once, to what happened; and nothing else is charged.
void World::check_charge(const JobStatus& before, const JobStatus& after) {
  const json& policy = job_["spec"]["runPolicy"];
  const int failures = after.restarts.failures - before.restarts.failures;
  const int disruptions = after.restarts.disruptions - before.restarts.disruptions;
  expect(after.restarts.failures <= policy.value("backoffLimit", 3),
         "more failures were restarted than backoffLimit allows");
  expect(after.restarts.disruptions <= policy.value("disruptionLimit", 1 << 20),
         "more disruptions were restarted than disruptionLimit allows");
  const bool is_restart =
      after.attempt > before.attempt && (after.attempt_cause == AttemptCause::kFailure ||
                                         after.attempt_cause == AttemptCause::kDisruption);
  const bool is_moved = failures == -1 && disruptions == 1 && after.attempt == before.attempt;
  expect(is_moved || failures + disruptions == (is_restart ? 1 : 0), "a restart was miscounted");
  const History& lost = attempts_[is_moved ? after.attempt - 1 : before.attempt];
  expect(failures <= 0 || lost.had_failure, "a failure was charged that nobody had");
  expect(disruptions <= 0 || lost.had_disruption, "a disruption was charged that nobody had");
}

void World::check_end(const JobStatus& after) {
  const auto nodes = job_["spec"]["numNodes"].get<std::size_t>();
  const History& last = attempts_[after.attempt];
  expect(!after.is(names::kComplete) || last.succeeded.size() == nodes,
         "the job was called complete before all nodes were");
  expect(!after.is(names::kFailed) || last.had_failure || last.had_disruption,
         "the job was called failed although nothing did");
}

void World::write(const Action& action) {
  if (const auto* wanted = std::get_if<Create>(&action)) create(*wanted);
  if (const auto* pod = std::get_if<DeletePod>(&action)) remove(*pod);
}

void World::create(const Create& action) {
  expect(!status().is_finished(), "an object was created for a finished job");
  if (action.resource != kPods) {
    json companion = action.body;
    companion["metadata"]["uid"] = "companion";
    companions_.push_back(parse_companion(action.resource, companion).value());
    return;
  }
  expect(owner_of(action.body) == job_["metadata"]["uid"], "a pod was created for a lost job");
  expect(!is_suspended(), "a pod was created for a suspended job");
  if (pods_.contains(action.name)) return;  // 409
  for (const auto& [name, pod] : pods_) {
    expect(!is_ours(name) || label(pod, names::kAttempt) == label(action.body, names::kAttempt),
           "two attempts have pods at once");
  }
  json pod = action.body;
  pod["metadata"]["uid"] = "pod-" + std::to_string(next_uid_++);
  pod["status"] = {{"phase", "Pending"}};
  pods_[action.name] = std::move(pod);
}

void World::remove(const DeletePod& action) {
  const auto found = pods_.find(action.name);
  if (found == pods_.end() || found->second["metadata"]["uid"] != action.uid) return;  // 404, 409
  expect(is_ours(action.name), "a pod of another owner was deleted");
  expect(status().is_finished() || label(found->second, names::kAttempt) < status().attempt,
         "a pod of an unfinished job was deleted before the attempt was raised");
  found->second["metadata"]["deletionTimestamp"] = format_time(now_);
}

void World::expect(bool holds, const std::string& what) {
  if (!holds) faults_.push_back(what + "\n" + picture());
}

bool World::is_suspended() const { return job_["spec"]["runPolicy"].value("suspend", false); }

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
  return owner_of(pods_.at(pod)) == job_.at("metadata").at("uid");
}

std::string World::key() const {
  json state = {{"job", job_}, {"pods", json::object()}};
  for (const auto& [name, pod] : pods_) {
    json& kept = state["pods"][name];
    kept = {{"status", pod["status"]},
            {"going", is_going(name)},
            {"ours", is_ours(name)},
            {"attempt", label(pod, names::kAttempt)}};
  }
  json& job = state["job"];
  state["edited"] = job["metadata"]["generation"] != job["status"].value("observedGeneration", 0);
  forget_generations(job);
  count_from(state, now_);
  return state.dump();
}

std::string World::picture() const {
  std::string text = job_["status"].dump(1);
  for (const auto& [name, pod] : pods_) {
    text += "\n" + name + " of attempt " + std::to_string(label(pod, names::kAttempt)) + ": " +
            pod["status"].dump();
  }
  return text;
}

}  // namespace lockstep
