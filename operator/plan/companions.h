// The objects of a job besides its pods: made once, kept for its whole life.
#pragma once

#include <vector>

#include "operator/plan/observed.h"
#include "operator/plan/plan.h"

namespace lockstep {

// An object that is named like the job and goes with it.
Create companion(const TrainingJob& job, const Resource& resource, nlohmann::json spec);

// The headless Service that gives the pods their host names, the NetworkPolicy that keeps others
// out, and the PodGroup for the scheduler, in the order in which they have to be created.
std::vector<Create> desired_companions(const TrainingJob& job, const Platform& platform);

// The one that `wanted` would create, whoever owns it; nullptr when there is none yet.
const Companion* existing(const std::vector<Companion>& companions, const Create& wanted);

}  // namespace lockstep
