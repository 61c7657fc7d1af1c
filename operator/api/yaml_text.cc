// Writes YAML that no reader takes for something else.
#include "operator/api/yaml_text.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string_view>

#include "operator/api/yaml_scalar.h"

namespace lockstep {
namespace {

using nlohmann::json;

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

// Readers differ about words such as 1:30, 2026-01-01 and =, but not about these.
bool is_plain(const std::string& text) {
  const bool begins_plainly = !text.empty() && (is_letter(text[0]) || text[0] == '/');
  return begins_plainly && text.back() != ':' && plain_scalar(text).is_string() &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter(c) ||
                  std::string_view("0123456789-_./:").find(c) != std::string_view::npos;
         });
}

bool is_printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return ' ' <= c && c <= '~'; });
}

// Single quotes leave JSON in a string legible; double ones can say everything.
void emit_text(YAML::Emitter& out, const std::string& text) {
  if (!is_plain(text) && is_printable(text)) out << YAML::SingleQuoted;
  if (!is_printable(text)) out << YAML::DoubleQuoted << YAML::EscapeNonAscii;
  out << text;
}

// YAML 1.1 takes 1e-05 for a word, but not 1.0e-05.
std::string decimal(const json& number) {
  std::string text = number.dump();
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) {
    text.insert(exponent, ".0");
  }
  return text;
}

void emit(YAML::Emitter& out, const json& value) {
  if (value.is_structured() && value.empty()) out << YAML::Flow;
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, member] : value.items()) {
      out << YAML::Key;
      emit_text(out, key);
      out << YAML::Value;
      emit(out, member);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    out << YAML::BeginSeq;
    for (const json& element : value) emit(out, element);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    emit_text(out, value.get_ref<const std::string&>());
  } else if (value.is_null()) {
    out << YAML::Null;
  } else {
    out << (value.is_number_float() ? decimal(value) : value.dump());
  }
}

}  // namespace

std::string to_yaml(const std::vector<json>& documents) {
  std::string text;
  for (const json& document : documents) {
    YAML::Emitter out;
    emit(out, document);
    text += "---\n" + std::string(out.c_str()) + "\n";
  }
  return text;
}

}  // namespace lockstep
