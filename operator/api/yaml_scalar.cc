// Null, truth values and numbers of YAML 1.1.
#include "operator/api/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string_view>

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestNumber = 400;  // bounds the regular expressions
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& words, const std::string& text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// All of `text` as one number.
template <typename Number, typename... Format>
std::optional<Number> parsed(std::string_view text, Format... format) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format...);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

// "0x1F" is 16 and "1F"; a leading 0 alone means octal.
std::pair<int, std::string_view> base_and_digits(std::string_view text) {
  constexpr std::pair<std::string_view, int> kPrefixes[] = {{"0x", 16}, {"0X", 16}, {"0b", 2},
                                                            {"0B", 2},  {"0o", 8},  {"0O", 8}};
  for (const auto& [prefix, base] : kPrefixes) {
    if (text.starts_with(prefix)) return {base, text.substr(prefix.size())};
  }
  return {text.size() > 1 && text[0] == '0' ? 8 : 10, text};
}

std::optional<json> whole(const std::string& text) {
  const bool is_signed = text[0] == '-' || text[0] == '+';
  const auto [base, digits] = base_and_digits(std::string_view(text).substr(is_signed ? 1 : 0));
  const std::string with_sign = (text[0] == '-' ? "-" : "") + std::string(digits);
  if (digits.starts_with('-')) return std::nullopt;
  if (const auto number = parsed<std::int64_t>(with_sign, base)) return *number;
  if (const auto number = parsed<std::uint64_t>(with_sign, base)) return *number;
  return std::nullopt;
}

std::optional<json> decimal(const std::string& text) {
  static const std::regex form("[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?");
  if (!std::regex_match(text, form)) return std::nullopt;
  const auto number = parsed<double>(std::string_view(text).substr(text[0] == '+' ? 1 : 0));
  return number ? std::optional(as_whole_number(*number)) : std::nullopt;
}

void refuse_infinity(const std::string& text) {
  static const std::regex form("[-+]?[.](inf|Inf|INF)|[.](nan|NaN|NAN)");
  if (std::regex_match(text, form)) throw std::invalid_argument("JSON has no number " + text);
}

}  // namespace

json as_whole_number(json value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (!value.is_number_float()) return value;
  const double number = value.get<double>();
  const bool is_whole = std::trunc(number) == number && -kEnd <= number && number < kEnd;
  return is_whole ? json(static_cast<std::int64_t>(number)) : value;
}

json plain_scalar(const std::string& text) {
  if (is_one_of(kNull, text)) return nullptr;
  if (is_one_of(kTrue, text)) return true;
  if (is_one_of(kFalse, text)) return false;
  if (text.size() > kLongestNumber || std::strchr("+-.0123456789", text[0]) == nullptr) return text;
  refuse_infinity(text);
  std::string number = text;
  std::erase(number, '_');
  if (number.empty()) return text;
  if (const auto value = whole(number)) return *value;
  if (const auto value = decimal(number)) return *value;
  return text;
}

}  // namespace lockstep
