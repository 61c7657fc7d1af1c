// Which pods to delete, and how gently.
#pragma once

#include "operator/plan/view.h"

namespace lockstep {

// A finished job: what runPolicy.cleanPodPolicy asks for, on every terminal path alike. Nothing is
// ever created again.
Plan clean_up(const View& view);

// Adds the deletion of every pod of an earlier attempt. A pod that outlives its grace period on a
// dead machine is deleted by force, and its machine named.
void remove_earlier(const View& view, Plan& plan);

}  // namespace lockstep
