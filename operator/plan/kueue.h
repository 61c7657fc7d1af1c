// A job's part in the contract with Kueue, as Kueue's own job framework plays it for the kinds that
// it knows: docs/decisions/0010-the-operator-owns-the-workload.md.
#pragma once

#include "operator/plan/view.h"

namespace lockstep {

// Adds to the plan what Kueue has to hear: that the job wants quota, that its user suspended it,
// that its pods run, that they are gone after an eviction, that it has ended.
void tell_kueue(const View& view, Plan& plan);

}  // namespace lockstep
