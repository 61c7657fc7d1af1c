// Builds jobs and pods as JSON and reads them with the parsers of api.
#include "tests/support/job_builder.h"

#include "operator/api/names.h"
#include "operator/plan/companions.h"

namespace lockstep {

using nlohmann::json;

JobBuilder::JobBuilder()
    : object_({{"metadata",
                {{"name", "fashion"}, {"namespace", "ml"}, {"uid", "job-uid"}, {"generation", 1}}},
               {"spec", {{"numNodes", 2}}},
               {"status", json::object()}}) {}

JobBuilder& JobBuilder::nodes(int count) { return spec({{"numNodes", count}}); }

JobBuilder& JobBuilder::metadata(const json& patch) {
  object_["metadata"].merge_patch(patch);
  return *this;
}

JobBuilder& JobBuilder::spec(const json& patch) {
  object_["spec"].merge_patch(patch);
  return *this;
}

JobBuilder& JobBuilder::label(const std::string& name, const std::string& value) {
  object_["metadata"]["labels"][name] = value;
  return *this;
}

JobBuilder& JobBuilder::status(const json& patch) {
  object_["status"].merge_patch(patch);
  return *this;
}

JobBuilder& JobBuilder::attempt(int number) {
  return status({{"attempt", number},
                 {"observedGeneration", 1},
                 {"attemptStartTime", format_time(kNoon)},
                 {"startTime", format_time(kNoon)}});
}

JobBuilder& JobBuilder::running() {
  if (!object_["status"].contains("attempt")) attempt(1);
  const int nodes = object_["spec"]["numNodes"];
  for (int rank = 0; rank < nodes; ++rank) started(rank);
  with_companions();
  const json condition = {{"type", names::kRunning},
                          {"status", "True"},
                          {"reason", names::kAllNodesRunning},
                          {"lastTransitionTime", format_time(kNoon)}};
  return status({{"podsCreated", true}, {"conditions", json::array({condition})}});
}

json& JobBuilder::at(int rank) {
  const std::string name = "fashion-" + std::to_string(rank);
  for (json& pod : pods_) {
    if (pod["metadata"]["name"] == name) return pod;
  }
  const int attempt = object_["status"].value("attempt", 1);
  pods_.push_back(
      {{"metadata",
        {{"name", name},
         {"namespace", "ml"},
         {"uid", "uid-of-" + name},
         {"labels",
          {{names::kJobName, "fashion"},
           {names::kNodeRank, std::to_string(rank)},
           {names::kAttempt, std::to_string(attempt)}}},
         {"ownerReferences",
          json::array({{{"uid", "job-uid"}, {"kind", "TrainingJob"}, {"controller", true}}})}}},
       {"spec", {{"nodeName", "worker-" + std::to_string(rank)}}},
       {"status", {{"phase", "Pending"}}}});
  return pods_.back();
}

JobBuilder& JobBuilder::pod(int rank, const json& patch) {
  at(rank).merge_patch(patch);
  return *this;
}

JobBuilder& JobBuilder::trainer(int rank, const std::string& phase, const json& state) {
  const json container = {{"name", "trainer"}, {"ready", phase == "Running"}, {"state", state}};
  return pod(rank,
             {{"status", {{"phase", phase}, {"containerStatuses", json::array({container})}}}});
}

JobBuilder& JobBuilder::scheduled(int rank) { return pod(rank, json::object()); }

JobBuilder& JobBuilder::started(int rank) {
  return trainer(rank, "Running", {{"running", {{"startedAt", format_time(kNoon)}}}});
}

JobBuilder& JobBuilder::succeeded(int rank) {
  return trainer(rank, "Succeeded",
                 {{"terminated",
                   {{"exitCode", 0},
                    {"reason", "Completed"},
                    {"finishedAt", format_time(after(100 + rank))}}}});
}

JobBuilder& JobBuilder::failed(int rank, int exit_code, double finished, const std::string& message,
                               const std::string& reason) {
  return trainer(rank, "Failed",
                 {{"terminated",
                   {{"exitCode", exit_code},
                    {"reason", reason},
                    {"message", message},
                    {"finishedAt", format_time(after(finished))}}}});
}

JobBuilder& JobBuilder::evicted(int rank, double at) {
  return pod(rank, {{"status",
                     {{"conditions", json::array({{{"type", "DisruptionTarget"},
                                                   {"status", "True"},
                                                   {"reason", "EvictionByEvictionAPI"},
                                                   {"lastTransitionTime", format_time(after(at))},
                                                   {"message", "node drain"}}})}}}});
}

JobBuilder& JobBuilder::terminating(int rank, double at) {
  return pod(
      rank,
      {{"metadata",
        {{"deletionTimestamp", format_time(after(at + 60))}, {"deletionGracePeriodSeconds", 60}}}});
}

JobBuilder& JobBuilder::gone(int rank) {
  const std::string name = at(rank)["metadata"]["name"];
  std::erase_if(pods_, [&](const json& pod) { return pod["metadata"]["name"] == name; });
  gone_.insert(rank);
  return *this;
}

JobBuilder& JobBuilder::with_companions() {
  has_companions_ = true;
  return *this;
}

TrainingJob JobBuilder::job() const { return parse_training_job(object_).value(); }

Observed JobBuilder::observed() const {
  Observed seen;
  seen.job = job();
  for (const json& pod : pods_) seen.pods.push_back(parse_pod(pod).value());
  seen.gone_ranks = gone_;
  seen.platform.trainer_image = "lockstep/trainer:1";
  seen.platform.launcher_image = "lockstep/operator:1";
  if (has_companions_) {
    for (Create& companion : desired_companions(seen.job, seen.platform)) {
      companion.body["metadata"]["uid"] = "companion-uid";
      seen.companions.push_back(parse_companion(companion.resource, companion.body).value());
    }
  }
  return seen;
}

Pod as_stored(json pod, const std::string& uid) {
  pod["metadata"]["uid"] = uid;
  return parse_pod(pod).value();
}

}  // namespace lockstep
