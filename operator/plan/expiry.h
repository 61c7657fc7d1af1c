// When a finished job is deleted: runPolicy.ttlSecondsAfterFinished.
#pragma once

#include <optional>

#include "operator/plan/view.h"

namespace lockstep {

// Whatever ended the job; absent: it stays.
std::optional<Time> expires_at(const TrainingJob& job);

// Adds the deletion of a finished job whose time has come, once `plan` leaves nothing to clean up.
void expire(const View& view, Plan& plan);

}  // namespace lockstep
