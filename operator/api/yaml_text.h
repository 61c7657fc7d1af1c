// JSON values as YAML.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lockstep {

// One document each. Reads back as the same values, here and in other readers of YAML 1.1.
std::string to_yaml(const std::vector<nlohmann::json>& documents);

}  // namespace lockstep
