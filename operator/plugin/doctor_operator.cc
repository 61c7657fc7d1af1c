// Is there an operator, and does it look at the job?
#include "operator/api/fields.h"
#include "operator/plugin/doctor.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{10};  // an operator looks within milliseconds

std::string name_of(const json& deployment) {
  const json& meta = fields::member(deployment, "metadata");
  return fields::text(meta, "namespace") + "/" + fields::text(meta, "name");
}

const json* unavailable_operator(const Evidence& seen) {
  if (!seen.operators) return nullptr;
  for (const json& deployment : *seen.operators) {
    if (fields::integer(fields::member(deployment, "status"), "readyReplicas") == 0) {
      return &deployment;
    }
  }
  return nullptr;
}

bool is_overlooked(const TrainingJob& job, Time now) {
  const bool is_old_news = job.status.observed_generation < job.meta.generation;
  const Time since = job.meta.creation_time.value_or(now);
  return is_old_news && now - since > kPatience;
}

}  // namespace

void examine_operator(const Evidence& seen, Time now, Findings& findings) {
  const TrainingJob& job = seen.job;
  if (const json* deployment = unavailable_operator(seen)) {
    const json& meta = fields::member(*deployment, "metadata");
    findings.push_back({"the operator does not run",
                        "Deployment " + name_of(*deployment) + " has no ready pod",
                        "kubectl -n " + fields::text(meta, "namespace") +
                            " describe pods -l app.kubernetes.io/name=lockstep-operator"});
    return;
  }
  if (!is_overlooked(job, now)) return;
  const std::string age = age_text(job.meta.creation_time, now);
  const bool is_new = job.status.observed_generation == 0;
  findings.push_back(
      {"no operator looks at the job",
       is_new ? "created " + age + " ago, and it has no status"
              : "its spec is of generation " + std::to_string(job.meta.generation) +
                    ", its status of " + std::to_string(job.status.observed_generation),
       seen.operators && seen.operators->empty()
           ? "no Deployment of the operator was found: install the chart, or start the operator "
             "that is to serve this namespace"
           : "see whether the operator runs and serves this namespace: kubectl get deployments "
             "-A -l app.kubernetes.io/name=lockstep-operator, and its log"});
}

}  // namespace lockstep
