// `lockstep-train doctor`: everything that would cost a night, before the first step.
#pragma once

#include <string>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/doctor/finding.h"
#include "trainer/group/place.h"

namespace lockstep {

// All findings for the rank that `environment` names. A pod's own variables name the first rank of
// its node, so that this runs as an init step; without any it is the only rank. What it writes for
// a moment it removes. Throws nothing that a check can say.
std::vector<Finding> examine(const Config& config, const Environment& environment);

// Prints the findings, as JSON when asked; returns the exit code of the worst.
int run_doctor(const Config& config, bool as_json);

}  // namespace lockstep
