// Which pods to delete, and how gently.
#pragma once

#include "operator/plan/view.h"

namespace lockstep {

// A finished job: what runPolicy.cleanPodPolicy asks for, on every terminal path alike. Nothing is
// ever created again.
Plan clean_up(const View& view);

// Adds the forced deletion of pods that outlive their grace period, as on a dead machine, which is
// named.
void remove_stuck(const View& view, Plan& plan);

// Adds the deletion of every pod of an earlier attempt, by force where it is stuck.
void remove_earlier(const View& view, Plan& plan);

}  // namespace lockstep
