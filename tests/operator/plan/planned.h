// What decide() plans for a job of the builder, in words that tests compare.
#pragma once

#include <string>
#include <vector>

#include "operator/plan/decide.h"
#include "tests/support/job_builder.h"

namespace lockstep {

inline Plan plan_for(const JobBuilder& job, double seconds = 10) {
  return decide(job.observed(), after(seconds));
}

// Actions as words: "create Service fashion", "create fashion-0", "delete fashion-1",
// "delete the job", "patch Workload fashion".
inline std::vector<std::string> words(const Plan& plan) {
  std::vector<std::string> words;
  for (const Action& action : plan.actions) {
    if (const auto* wanted = std::get_if<Create>(&action)) {
      words.push_back("create " + (wanted->resource == kPods
                                       ? wanted->name
                                       : described(wanted->resource, wanted->name)));
    }
    if (const auto* pod = std::get_if<DeletePod>(&action)) words.push_back("delete " + pod->name);
    if (std::holds_alternative<DeleteJob>(action)) words.push_back("delete the job");
    if (const auto* change = std::get_if<Patch>(&action)) {
      words.push_back("patch " + described(change->resource, change->name));
    }
  }
  return words;
}

inline std::vector<std::string> event_reasons(const Plan& plan) {
  std::vector<std::string> reasons;
  for (const Event& event : plan.events) reasons.push_back(event.reason);
  return reasons;
}

inline bool is_idle(const Plan& plan) {
  return plan.actions.empty() && !plan.status && plan.events.empty();
}

// The job as it is stored once the plan's status was written.
inline JobBuilder written(JobBuilder job, const Plan& plan) {
  if (plan.status) job.status(merge_patch(to_json(job.job().status), to_json(*plan.status)));
  return job;
}

}  // namespace lockstep
