// The rules of a job that are about more than the type of one field. The definition states them in
// CEL, in the same words: there they guard the API server, here those who ask without one, and jobs
// that were stored under an older definition.
#pragma once

#include "operator/api/faults.h"
#include "operator/api/job_spec.h"
#include "operator/api/meta.h"

namespace lockstep {

// Looks at every rule, also where a field could not be read.
void check_rules(const ObjectMeta& meta, const JobSpec& spec, Faults& faults);

}  // namespace lockstep
