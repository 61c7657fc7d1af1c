// What the exit of a trainer container means for its job: the table of docs/api.md.
#pragma once

#include "operator/api/core.h"

namespace lockstep {

enum class ExitMeaning {
  kPermanent,  // a restart would end the same way
  kFailure,    // restart within backoffLimit
  kFollowOn,   // something else was lost first: a peer, or the node was told to stop
};

// For exits other than 0.
ExitMeaning meaning_of(const ContainerState::Terminated& end);

}  // namespace lockstep
