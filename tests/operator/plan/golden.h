// Expected objects, written by hand.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace lockstep {

inline nlohmann::json golden(const std::string& name) {
  std::ifstream file(std::string(GOLDEN_DIR) + "/" + name);
  return nlohmann::json::parse(file);
}

}  // namespace lockstep
