// What a word of YAML means when nothing quotes it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace lockstep {

// As kubectl takes it, which reads YAML 1.1 with the numbers of Go: yes and off are truth values,
// 0777 is octal, 1_000 a number, 1e3 a whole one. Throws std::invalid_argument for infinities and
// NaN, which JSON cannot say.
nlohmann::json plain_scalar(const std::string& text);

// As kubectl passes it on: 1.0 becomes 1. Anything but such a number stays as it is.
nlohmann::json as_whole_number(nlohmann::json value);

}  // namespace lockstep
