// What the cluster in memory makes of an operator's writes, and which of them break a promise.
#include <algorithm>

#include "operator/api/names.h"
#include "tests/operator/plan/stored_pod.h"
#include "tests/operator/plan/world.h"

namespace lockstep {

using nlohmann::json;

bool World::is_current(const TrainingJob& seen) const {
  const TrainingJob& latest = job(seen.meta.name).job();
  return latest.meta.uid == seen.meta.uid && latest.meta.generation == seen.meta.generation &&
         latest.status.attempt <= seen.status.attempt;
}

bool World::write(const std::string& job, const JobStatus& status, int observed_version) {
  if (observed_version != at(job).version()) return false;
  for (const std::string& fault : at(job).write(status)) expect(false, fault);
  return true;
}

std::optional<RefusedCreate> World::write(const std::string& job, const Action& action) {
  if (const auto* wanted = std::get_if<Create>(&action)) return create(at(job), *wanted);
  if (const auto* pod = std::get_if<DeletePod>(&action)) remove(at(job), *pod);
  return std::nullopt;
}

std::optional<RefusedCreate> World::create(StoredJob& job, const Create& action) {
  expect(!job.status().is_finished(), "an object was created for a finished job");
  expect(uid_of_owner(action.body) == job.uid(), "an object was created for a lost job");
  if (action.resource == kPods) return create_pod(job, action);
  json companion = action.body;
  companion["metadata"]["uid"] = "companion";
  companions_[job.uid()].push_back(parse_companion(action.resource, companion).value());
  return std::nullopt;
}

std::optional<RefusedCreate> World::create_pod(StoredJob& job, const Create& action) {
  const std::string what = described(kPods, action.name);
  if (const auto found = pods_.find(action.name); found != pods_.end()) {  // 409
    if (uid_of_owner(found->second) == job.uid()) return std::nullopt;
    return RefusedCreate{0, what, Refusal::kNameTaken, "it exists"};
  }
  expect(!job.is_suspended(), "a pod was created for a suspended job");
  for (const auto& [name, other] : pods_) {
    expect(uid_of_owner(other) != job.uid() ||
               number_label(other, names::kAttempt) == number_label(action.body, names::kAttempt),
           "two attempts have pods at once");
  }
  if (counted_by_quota() >= quota_)
    return RefusedCreate{0, what, Refusal::kForNow, "exceeded quota"};
  pods_[action.name] = {{"metadata", action.body["metadata"]}, {"status", {{"phase", "Pending"}}}};
  pods_[action.name]["metadata"]["uid"] = "pod-" + std::to_string(next_uid_++);
  return std::nullopt;
}

void World::remove(const StoredJob& job, const DeletePod& action) {
  const auto found = pods_.find(action.name);
  if (found == pods_.end() || found->second["metadata"]["uid"] != action.uid) return;  // 404, 409
  const bool is_its_own = uid_of_owner(found->second) == job.uid();
  expect(is_its_own, "a pod of another owner was deleted");
  expect(!is_its_own || job.status().is_finished() ||
             number_label(found->second, names::kAttempt) < job.status().attempt,
         "a pod of an unfinished job was deleted before the attempt was raised");
  found->second["metadata"]["deletionTimestamp"] = format_time(now_);
  found->second["metadata"]["deletionGracePeriodSeconds"] = action.grace_seconds.value_or(30);
}

int World::counted_by_quota() const {
  return static_cast<int>(std::count_if(pods_.begin(), pods_.end(),
                                        [&](const auto& pod) { return !is_over(pod.first); }));
}

void World::expect(bool holds, const std::string& what) {
  if (!holds) faults_.push_back(what + "\n" + picture());
}

}  // namespace lockstep
