// The promises about a job's status.
#include "tests/operator/plan/stored_job.h"

#include "operator/api/names.h"

namespace lockstep {
namespace {

using nlohmann::json;
using Complaints = std::vector<std::string>;

void expect(bool holds, const char* what, Complaints& faults) {
  if (!holds) faults.push_back(what);
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

StoredJob::StoredJob(const std::string& name, int nodes, const json& run_policy)
    : object_({{"metadata",
                {{"name", name}, {"namespace", "ml"}, {"uid", name + "-uid"}, {"generation", 1}}},
               {"spec", {{"numNodes", nodes}, {"runPolicy", run_policy}}},
               {"status", json::object()}}) {
  changed();
}

void StoredJob::changed() {
  parsed_ = std::make_shared<const TrainingJob>(parse_training_job(object_).value());
  ++version_;
}

void StoredJob::set_suspended(bool value) {
  object_["spec"]["runPolicy"]["suspend"] = value;
  object_["metadata"]["generation"] = job().meta.generation + 1;
  changed();
}

void StoredJob::recreate() {
  object_["metadata"]["uid"] = uid() + "-again";
  object_["status"] = json::object();
  object_["spec"]["runPolicy"]["suspend"] = false;
  attempts_.clear();
  was_refused_for_good_ = false;
  changed();
}

Complaints StoredJob::write(const JobStatus& status) {
  Complaints faults;
  const JobStatus& before = this->status();
  JobStatus noted = before;
  noted.observed_generation = status.observed_generation;
  expect(!before.is_finished() || status == noted, "the status of a finished job was changed",
         faults);
  expect(status.attempt >= before.attempt, "the attempt went back", faults);
  check_charge(status, faults);
  if (status.is_finished()) check_end(status, faults);
  object_["status"].merge_patch(merge_patch(to_json(before), to_json(status)));
  changed();
  return faults;
}

// Every new attempt is charged once, to what happened; and nothing else is charged.
void StoredJob::check_charge(const JobStatus& after, Complaints& faults) {
  const JobStatus& before = status();
  const RunPolicy& policy = job().spec.run_policy;
  const int failures = after.restarts.failures - before.restarts.failures;
  const int disruptions = after.restarts.disruptions - before.restarts.disruptions;
  expect(after.restarts.failures <= policy.backoff_limit,
         "more failures were restarted than backoffLimit allows", faults);
  expect(!policy.disruption_limit || after.restarts.disruptions <= *policy.disruption_limit,
         "more disruptions were restarted than disruptionLimit allows", faults);
  const bool is_restart =
      after.attempt > before.attempt && (after.attempt_cause == AttemptCause::kFailure ||
                                         after.attempt_cause == AttemptCause::kDisruption);
  const bool is_moved = failures == -1 && disruptions == 1 && after.attempt == before.attempt;
  expect(is_moved || failures + disruptions == (is_restart ? 1 : 0), "a restart was miscounted",
         faults);
  const History& lost = attempts_[is_moved ? after.attempt - 1 : before.attempt];
  expect(failures <= 0 || lost.had_failure, "a failure was charged that nobody had", faults);
  expect(disruptions <= 0 || lost.had_disruption, "a disruption was charged that nobody had",
         faults);
}

void StoredJob::check_end(const JobStatus& after, Complaints& faults) {
  const History& last = attempts_[after.attempt];
  expect(!after.is(names::kComplete) ||
             static_cast<int>(last.succeeded.size()) == job().spec.num_nodes,
         "the job was called complete before all nodes were", faults);
  expect(
      !after.is(names::kFailed) || last.had_failure || last.had_disruption || was_refused_for_good_,
      "the job was called failed although nothing did", faults);
}

json StoredJob::key() const {
  json key = {{"job", object_}, {"refused for good", was_refused_for_good_}};
  key["edited"] = job().meta.generation != status().observed_generation;
  for (int attempt : {status().attempt - 1, status().attempt}) {
    const auto found = attempts_.find(attempt);
    if (found == attempts_.end()) continue;
    const History& history = found->second;
    key["happened"].push_back({attempt == status().attempt, history.succeeded, history.had_failure,
                               history.had_disruption});
  }
  forget_generations(key["job"]);
  return key;
}

}  // namespace lockstep
