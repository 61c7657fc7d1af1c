// Manifests: objects as users write them, in YAML or JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operator/base/result.h"

namespace lockstep {

// The documents of a manifest; empty ones are left out. Scalars mean what kubectl takes them for
// (YAML 1.1: yes and no are truth values). Errors: kInvalid with the place in the text.
Result<std::vector<nlohmann::json>> parse_manifest(const std::string& text);

// Documents as YAML that reads back as the same values.
std::string to_yaml(const std::vector<nlohmann::json>& documents);

}  // namespace lockstep
