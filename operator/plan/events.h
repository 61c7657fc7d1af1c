// Events of a job: what its conditions began to say, and warnings.
#pragma once

#include <vector>

#include "operator/plan/observed.h"
#include "operator/plan/plan.h"

namespace lockstep {

// One event for each condition that says something new, with the condition's own reason and words.
std::vector<Event> news(const JobStatus& before, const JobStatus& after);

// Said once, when the first attempt begins: what the user may not have meant.
std::vector<Event> warnings_about(const TrainingJob& job, const Platform& platform);

}  // namespace lockstep
