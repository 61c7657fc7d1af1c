// Golden values that torch's own code produced (the scripts in golden/).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/temporary_directory.h"

namespace lockstep::testing {

inline nlohmann::json golden(const std::string& name, const std::string& folder = GOLDEN_DIR) {
  return nlohmann::json::parse(content_of(folder + "/" + name));
}

}  // namespace lockstep::testing
