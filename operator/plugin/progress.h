// How far a job is, in words. Pure.
#pragma once

#include <string>

#include "operator/api/progress.h"

namespace lockstep {

// "120/900", "120" or "".
std::string steps_text(const Progress& progress);
// "13%" or "".
std::string done_text(const Progress& progress);
// "epoch 1/3, step 120/900 (13%), loss 0.42, 5.1k samples/s, 2m10s left, checkpoint of step 100"
std::string describe(const Progress& progress);

}  // namespace lockstep
