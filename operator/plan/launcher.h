// spec.launcher: Inject: how lockstep-launch gets into an image that lacks it.
#pragma once

#include <nlohmann/json.hpp>

#include "operator/plan/platform.h"

namespace lockstep {

// Puts the launcher before the command of the trainer container, which has one, and gives the pod
// an init container that brings it there.
void inject_launcher(nlohmann::json& pod_spec, nlohmann::json& trainer, const Platform& platform);

}  // namespace lockstep
