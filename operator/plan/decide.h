// The whole policy of the operator as one pure function.
#pragma once

#include "operator/plan/observed.h"
#include "operator/plan/plan.h"

namespace lockstep {

// Moves one job a step nearer to its spec. Level based: the same view gives the same plan, any
// number of times, and a plan that was carried out in part only is completed by the next one.
Plan decide(const Observed& seen, Time now);

}  // namespace lockstep
