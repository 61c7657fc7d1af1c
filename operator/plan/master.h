// Where node 0 gathers the others.
#pragma once

#include <string>

#include "operator/api/training_job.h"

namespace lockstep {

// "<job>-0.<job>.<namespace>.svc": node 0 by its stable name.
std::string master_address(const TrainingJob& job);

// spec.masterPort; else 29500, or with hostNetwork a port of this attempt's own: jobs share the
// machine's ports there, and an attempt may begin while the last one's port is still held.
int master_port(const TrainingJob& job);

}  // namespace lockstep
