// Manifests: objects as users write them, in YAML or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/base/result.h"

namespace lockstep {

// The documents of a manifest, or the one that is JSON; empty ones are left out. Scalars, anchors
// and merge keys mean what kubectl takes them for. A key that stands twice is refused, where
// kubectl would take the last. Errors: kInvalid with the place in the text.
Result<std::vector<nlohmann::json>> parse_manifest(const std::string& text);

}  // namespace lockstep
