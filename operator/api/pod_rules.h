// The rules about the pods of a job: those of its template and of the resources of its nodes.
#pragma once

#include "operator/api/faults.h"
#include "operator/api/job_spec.h"

namespace lockstep {

// In the words of the definition.
void check_pod_rules(const JobSpec& spec, Faults& faults);

}  // namespace lockstep
