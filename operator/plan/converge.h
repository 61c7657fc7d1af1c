// Creates what an attempt needs.
#pragma once

#include "operator/plan/view.h"

namespace lockstep {

// The Service, then missing pods once the back-off is over, until every pod of the attempt was seen
// once.
Plan converge(const View& view);

// When every node of this attempt must have started; absent once they all have.
std::optional<Time> startup_deadline(const View& view);

}  // namespace lockstep
