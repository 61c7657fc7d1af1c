// Labels and owner references of a job's objects.
#include "operator/plan/ownership.h"

#include "operator/api/names.h"

namespace lockstep {

std::string pod_name(const TrainingJob& job, int node_rank) {
  return job.meta.name + "-" + std::to_string(node_rank);
}

nlohmann::json job_labels(const TrainingJob& job) {
  return {{names::kJobName, job.meta.name},
          {names::kJobUid, job.meta.uid},
          {names::kManagedBy, names::kOperator}};
}

nlohmann::json owner_reference(const TrainingJob& job) {
  return {{"apiVersion", names::kApiVersion},
          {"kind", names::kTrainingJob},
          {"name", job.meta.name},
          {"uid", job.meta.uid},
          {"controller", true}};
}

bool owns(const TrainingJob& job, const ObjectMeta& meta) {
  return meta.controller_uid == job.meta.uid;
}

}  // namespace lockstep
