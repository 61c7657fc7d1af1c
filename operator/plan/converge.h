// Creates what an attempt needs.
#pragma once

#include "operator/plan/verdict.h"
#include "operator/plan/view.h"

namespace lockstep {

// The Service, then missing pods once the back-off is over, until every pod of the attempt was seen
// once.
Plan converge(const View& view);

// Present when something the attempt needs can never be created.
std::optional<Verdict> refused_for_good(const View& view);

}  // namespace lockstep
