// The headless Service of a job.
#include "operator/api/names.h"
#include "operator/plan/desired.h"
#include "operator/plan/ownership.h"

namespace lockstep {

nlohmann::json desired_service(const TrainingJob& job) {
  // The uid in the selector keeps a deleted namesake's last pods out of this job's DNS.
  const nlohmann::json selector = {{names::kJobName, job.meta.name},
                                   {names::kJobUid, job.meta.uid}};
  return {{"apiVersion", "v1"},
          {"kind", "Service"},
          {"metadata",
           {{"name", job.meta.name},
            {"namespace", job.meta.namespace_},
            {"labels", job_labels(job)},
            {"ownerReferences", nlohmann::json::array({owner_reference(job)})}}},
          {"spec",
           {{"clusterIP", "None"},
            // Nodes look each other up before any of them is ready.
            {"publishNotReadyAddresses", true},
            {"selector", selector}}}};
}

}  // namespace lockstep
