// Conditions, and the phase that follows from them.
#pragma once

#include <string>

#include "operator/api/job_status.h"

namespace lockstep {

// Sets the condition of that type. last_transition moves only when the truth does.
void set_condition(JobStatus& status, const std::string& type, bool value,
                   const std::string& reason, const std::string& message, Time now);

// The same for what is neither true nor false.
void set_unknown(JobStatus& status, const std::string& type, const std::string& reason,
                 const std::string& message, Time now);

// Removes a condition that no longer says anything.
void drop_condition(JobStatus& status, const std::string& type);

// The phase is a function of the conditions and of nothing else.
Phase phase_of(const JobStatus& status);

}  // namespace lockstep
