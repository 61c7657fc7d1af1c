// YAML to JSON and back.
#include "operator/api/manifest.h"

#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <regex>

namespace lockstep {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;  // a guard against documents that nest without end
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& words, const std::string& text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_null(const std::string& text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

template <typename Number>
std::optional<Number> whole(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

json plain_scalar(const std::string& text) {
  if (is_null(text)) return nullptr;
  if (is_one_of(kTrue, text)) return true;
  if (is_one_of(kFalse, text)) return false;
  if (const auto number = whole<std::int64_t>(text)) return *number;
  static const std::regex decimal("[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?");
  if (std::regex_match(text, decimal)) {
    if (const auto number = whole<double>(text)) return *number;
  }
  return text;
}

json value_of(const YAML::Node& node, int depth) {
  if (depth > kDeepest) throw YAML::Exception(node.Mark(), "nested too deeply");
  switch (node.Type()) {
    case YAML::NodeType::Sequence: {
      json list = json::array();
      for (const YAML::Node& element : node) list.push_back(value_of(element, depth + 1));
      return list;
    }
    case YAML::NodeType::Map: {
      json object = json::object();
      for (const auto& entry : node) {
        if (!entry.second.IsDefined()) continue;
        const std::string key = entry.first.as<std::string>();
        if (object.contains(key)) throw YAML::Exception(entry.first.Mark(), key + " stands twice");
        object[key] = value_of(entry.second, depth + 1);
      }
      return object;
    }
    case YAML::NodeType::Scalar:
      return node.Tag() == "!" ? json(node.Scalar()) : plain_scalar(node.Scalar());
    default:
      return nullptr;
  }
}

void emit(YAML::Emitter& out, const json& value) {
  if (value.is_object()) {
    out << YAML::BeginMap;
    for (const auto& [key, member] : value.items()) {
      out << YAML::Key << key << YAML::Value;
      emit(out, member);
    }
    out << YAML::EndMap;
  } else if (value.is_array()) {
    if (value.empty()) out << YAML::Flow;
    out << YAML::BeginSeq;
    for (const json& element : value) emit(out, element);
    out << YAML::EndSeq;
  } else if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    if (!plain_scalar(text).is_string()) out << YAML::DoubleQuoted;
    out << text;
  } else {
    out << value.dump();
  }
}

}  // namespace

Result<std::vector<json>> parse_manifest(const std::string& text) try {
  std::vector<json> documents;
  for (const YAML::Node& document : YAML::LoadAll(text)) {
    json value = value_of(document, 0);
    if (!value.is_null()) documents.push_back(std::move(value));
  }
  return documents;
} catch (const YAML::Exception& error) {
  return failure(Kind::kInvalid, "line " + std::to_string(error.mark.line + 1) + ", column " +
                                     std::to_string(error.mark.column + 1) + ": " + error.msg);
}

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
