// Figures and text as people read them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "operator/api/meta.h"

namespace lockstep {

// "41s", "3m10s", "2h5m", "3d4h"; "0s" for what lies ahead.
std::string duration_text(double seconds);
std::string age_text(const std::optional<Time>& then, Time now);  // "" when there is no `then`

std::string quantity_text(double value);  // three digits: "0.0123", "0.42", "17.3", "5.1k", "2.3M"
std::string percent_text(double share);   // of 1: "13%"

std::string plural(int count, std::string_view noun);  // "1 node", "2 nodes"

std::string first_line(const std::string& text);

// Every line behind `margin`.
std::string indented(const std::string& text, const std::string& margin);

}  // namespace lockstep
