// A job in a Kueue queue and what Kueue has answered, for tests of plan.
#pragma once

#include <algorithm>
#include <string>

#include "operator/api/names.h"
#include "operator/plan/admission.h"
#include "tests/operator/plan/planned.h"

namespace lockstep {

// Plans run against this: the job, and its Workload as the API server holds it.
class QueuedJob {
 public:
  explicit QueuedJob(JobBuilder job = a_job())
      : job_(std::move(job.label(names::kQueueName, "vision"))) {}

  JobBuilder& job() { return job_; }

  QueuedJob& without_kueue() {
    has_kueue_ = false;
    return *this;
  }

  // Of its Workload: a condition, or anything else, merged over.
  QueuedJob& condition(const std::string& type, bool value, const std::string& reason = "Because",
                       const std::string& message = "so it is") {
    auto& conditions = workload_["status"]["conditions"];
    std::erase_if(conditions.get_ref<nlohmann::json::array_t&>(),
                  [&](const auto& each) { return each["type"] == type; });
    conditions.push_back({{"type", type},
                          {"status", value ? "True" : "False"},
                          {"reason", reason},
                          {"message", message},
                          {"lastTransitionTime", format_time(kNoon)}});
    return *this;
  }
  QueuedJob& workload(const nlohmann::json& change) {
    workload_.merge_patch(change);
    return *this;
  }

  // As Kueue does it when there is quota.
  QueuedJob& admitted(const std::string& flavor = "spot") {
    workload(
        {{"status",
          {{"admission",
            {{"clusterQueue", "all"},
             {"podSetAssignments",
              nlohmann::json::array({{{"name", "main"}, {"flavors", {{"cpu", flavor}}}}})}}}}}});
    condition("QuotaReserved", true).condition("Admitted", true);
    return condition("Evicted", false);
  }
  QueuedJob& evicted(const std::string& reason) {
    return condition("Evicted", true, reason, "it gave way to another");
  }

  QueuedJob& exists(const Resource& resource, const std::string& name, const nlohmann::json& rest) {
    existing_[{resource, name}] = rest;
    return *this;
  }

  Observed observed() const {
    Observed seen = job_.observed();
    seen.platform.has_kueue = has_kueue_;
    if (!workload_.is_null() && workload_.contains("metadata")) {
      seen.companions.push_back(parse_companion(kWorkloads, workload_).value());
    }
    for (const ClusterObject& object : objects_to_read(seen)) {
      const auto found = existing_.find(object);
      if (found != existing_.end()) seen.cluster_objects[object] = found->second;
    }
    return seen;
  }

  Plan plan(double seconds = 10) const { return decide(observed(), after(seconds)); }

  // Carries the plan out: what it writes is seen by the next one.
  QueuedJob& written(const Plan& plan) {
    job_ = lockstep::written(job_, plan);
    for (const Action& action : plan.actions) {
      if (const auto* wanted = std::get_if<Create>(&action)) create(*wanted);
      if (const auto* change = std::get_if<Patch>(&action)) workload_.merge_patch(change->change);
    }
    return *this;
  }

  const nlohmann::json& stored() const { return workload_; }

 private:
  void create(const Create& wanted) {
    if (!(wanted.resource == kWorkloads)) return;
    workload_ = wanted.body;
    workload_["metadata"]["uid"] = "workload-uid";
    workload_["metadata"]["resourceVersion"] = "1";
    workload_["status"]["conditions"] = nlohmann::json::array();
  }

  JobBuilder job_;
  bool has_kueue_ = true;
  nlohmann::json workload_;
  std::map<ClusterObject, nlohmann::json> existing_;
};

// Has asked for quota, and got none yet.
inline QueuedJob a_waiting_job(JobBuilder job = a_job()) {
  QueuedJob queued(std::move(job));
  queued.exists(kResourceFlavors, "spot",
                {{"spec",
                  {{"nodeLabels", {{"machine", "spot"}}},
                   {"tolerations", nlohmann::json::array({{{"key", "spot"}}})}}}});
  for (int pass = 0; pass < 2; ++pass) queued.written(queued.plan());
  return queued;
}

// Runs in its quota, and Kueue knows it.
inline QueuedJob a_running_job() {
  QueuedJob queued = a_waiting_job();
  queued.admitted();
  queued.job().running();
  for (int pass = 0; pass < 3; ++pass) queued.written(queued.plan());
  return queued;
}

}  // namespace lockstep
