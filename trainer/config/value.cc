// Scalars and lists; see value.h.
#include "trainer/config/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace lockstep {
namespace {

constexpr std::size_t kLongestList = 64;
constexpr std::size_t kLongestQuote = 60;

// What the user wrote, short enough for a message.
std::string quoted(const YAML::Node& node) {
  if (node.IsMap()) return "a section";
  if (node.IsSequence()) return "a list";
  if (!node.IsDefined() || node.IsNull()) return "nothing";
  const std::string& text = node.Scalar();
  if (text.size() <= kLongestQuote) return "\"" + text + "\"";
  return "\"" + text.substr(0, kLongestQuote) + "...\"";
}

[[noreturn]] void refuse(const std::string& wanted, const YAML::Node& node) {
  throw ConfigError("must be " + wanted + ", not " + quoted(node));
}

// A scalar without quotes: "3" in quotes is a text, not a number.
bool is_plain(const YAML::Node& node) { return node.IsScalar() && node.Tag() == "?"; }

template <typename Number>
std::optional<Number> parsed(const YAML::Node& node) {
  if (!is_plain(node)) return std::nullopt;
  const std::string& text = node.Scalar();
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  Number value{};
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::string bound_text(double bound) {
  const bool is_whole = bound == std::floor(bound) && std::abs(bound) <= 0x1p53;
  return is_whole ? std::to_string(static_cast<std::int64_t>(bound)) : text_of(bound);
}

template <typename Number>
Number number_in(const YAML::Node& node, const Rule& rule, const std::string& kind) {
  const auto value = parsed<Number>(node);
  const double bound = value ? static_cast<double>(*value) : std::nan("");
  if (bound >= rule.least && bound <= rule.most && std::isfinite(bound)) return *value;
  refuse(kind + " from " + bound_text(rule.least) + " to " + bound_text(rule.most), node);
}

template <typename Number>
std::string list_text(const std::vector<Number>& value) {
  std::string text;
  for (const Number element : value) text += (text.empty() ? "" : ", ") + text_of(element);
  return "[" + text + "]";
}

}  // namespace

void read_value(const YAML::Node& node, const Rule&, bool& value) {
  const bool is_true = is_plain(node) && node.Scalar() == "true";
  const bool is_false = is_plain(node) && node.Scalar() == "false";
  if (!is_true && !is_false) refuse("true or false", node);
  value = is_true;
}

void read_value(const YAML::Node& node, const Rule& rule, int& value) {
  value = number_in<int>(node, rule, "a whole number");
}

void read_value(const YAML::Node& node, const Rule& rule, std::uint64_t& value) {
  value = number_in<std::uint64_t>(node, rule, "a whole number");
}

void read_value(const YAML::Node& node, const Rule& rule, double& value) {
  value = number_in<double>(node, rule, "a number");
}

void read_value(const YAML::Node& node, const Rule& rule, std::string& value) {
  if (!node.IsScalar()) refuse("a text", node);
  const std::string& text = node.Scalar();
  const auto& words = rule.words;
  if (!words.empty() && std::find(words.begin(), words.end(), text) == words.end()) {
    std::string wanted;
    for (const std::string_view word : words)
      wanted.append(wanted.empty() ? "" : " or ").append(word);
    refuse(wanted, node);
  }
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) refuse("a text of one line", node);
  value = text;
}

void read_value(const YAML::Node& node, const Rule& rule, std::vector<int>& value) {
  if (!node.IsSequence() || node.size() > kLongestList) {
    refuse("a list of at most " + std::to_string(kLongestList) + " whole numbers", node);
  }
  value.clear();
  for (const YAML::Node& element : node) {
    value.push_back(number_in<int>(element, rule, "a list of whole numbers"));
  }
}

void read_value(const YAML::Node& node, const Rule& rule, std::vector<double>& value) {
  const bool is_list = node.IsSequence() && node.size() > 0 && node.size() <= kLongestList;
  if (!node.IsScalar() && !is_list) refuse("a number or a list of numbers", node);
  value.clear();
  const auto add = [&](const YAML::Node& element) {
    value.push_back(number_in<double>(element, rule, "a number or a list of numbers"));
  };
  if (node.IsScalar()) add(node);
  if (node.IsSequence()) std::for_each(node.begin(), node.end(), add);
}

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int value) { return std::to_string(value); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }

std::string text_of(double value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, end};
}

std::string text_of(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string text_of(const std::vector<int>& value) { return list_text(value); }
std::string text_of(const std::vector<double>& value) { return list_text(value); }

}  // namespace lockstep
