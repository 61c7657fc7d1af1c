// Figures and text as people read them.
#include "operator/plugin/words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace lockstep {
namespace {

constexpr double kLongest = 1e9;  // seconds: thirty years

std::string pair(std::int64_t large, const char* unit, std::int64_t small, const char* small_unit) {
  const std::string text = std::to_string(large) + unit;
  return small == 0 ? text : text + std::to_string(small) + small_unit;
}

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::clamp(seconds, 0.0, kLongest));
  if (s < 60) return std::to_string(s) + "s";
  if (s < 3600) return pair(s / 60, "m", s % 60, "s");
  if (s < 86400) return pair(s / 3600, "h", s % 3600 / 60, "m");
  return pair(s / 86400, "d", s % 86400 / 3600, "h");
}

std::string age_text(const std::optional<Time>& then, Time now) {
  if (!then) return "";
  return duration_text(std::chrono::duration<double>(now - *then).count());
}

std::string quantity_text(double value) {
  const double size = std::abs(value);
  if (size >= 999'500) return three_digits(value / 1e6) + "M";
  if (size >= 999.5) return three_digits(value / 1e3) + "k";
  return three_digits(value);
}

std::string percent_text(double share) {
  return std::to_string(static_cast<int>(std::floor(std::clamp(share, 0.0, 1.0) * 100))) + "%";
}

std::string plural(int count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string indented(const std::string& text, const std::string& margin) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    result += margin + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return result;
}

}  // namespace lockstep
