// What the doctor prints, and the exit code that its findings come to. Pure.
#pragma once

#include <string>
#include <vector>

#include "trainer/doctor/finding.h"

namespace lockstep {

// A line for each finding (mark, check, what was found), below it what to do, and a last line that
// sums up.
std::string report_of(const std::vector<Finding>& findings);

// {"exit_code": 74, "findings": [{"mark": "bad", "check": ..., "found": ..., "advice": ...,
// "exit_code": 74}]}; a mark is ok, warning or bad, and without advice there is no such key.
std::string json_of(const std::vector<Finding>& findings);

// That of the worst finding, 0 when none is bad. What no restart can mend (64, then 65) is worse
// than what one may.
int exit_code_of(const std::vector<Finding>& findings);

}  // namespace lockstep
