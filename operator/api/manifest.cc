// Reads YAML and JSON.
#include "operator/api/manifest.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>

#include "operator/api/yaml_scalar.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;            // a guard against documents that nest without end
constexpr int kMostValues = 1'000'000;  // and against aliases that multiply

bool is_merge_key(const YAML::Node& key) { return key.Tag() == "?" && key.Scalar() == "<<"; }

// One YAML document.
class Document {
 public:
  json value_of(const YAML::Node& node, int depth = 0) {
    if (depth > kDeepest) throw YAML::Exception(node.Mark(), "nested too deeply");
    if (++values_ > kMostValues) throw YAML::Exception(node.Mark(), "aliases repeat too much");
    switch (node.Type()) {
      case YAML::NodeType::Sequence:
        return list_of(node, depth + 1);
      case YAML::NodeType::Map:
        return object_of(node, depth + 1);
      case YAML::NodeType::Scalar:
        return scalar_of(node);
      default:
        return nullptr;
    }
  }

 private:
  static json scalar_of(const YAML::Node& node) {
    const bool is_text = node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str";
    if (is_text) return node.Scalar();
    try {
      return plain_scalar(node.Scalar());
    } catch (const std::invalid_argument& error) {
      throw YAML::Exception(node.Mark(), error.what());
    }
  }

  // The key yes means "true".
  static std::string key_of(const YAML::Node& node) {
    const json key = node.IsScalar() ? scalar_of(node) : json();
    if (key.is_null()) throw YAML::Exception(node.Mark(), "a key has to be a word");
    return key.is_string() ? key.get<std::string>() : key.dump();
  }

  json list_of(const YAML::Node& node, int depth) {
    json list = json::array();
    for (const YAML::Node& element : node) list.push_back(value_of(element, depth));
    return list;
  }

  json object_of(const YAML::Node& node, int depth) {
    json object = json::object();
    std::set<std::string> own;
    for (const auto& entry : node) {
      if (is_merge_key(entry.first)) {
        merge(object, entry.second, depth);
        continue;
      }
      const std::string key = key_of(entry.first);
      if (!own.insert(key).second) throw YAML::Exception(entry.first.Mark(), key + " stands twice");
      object[key] = value_of(entry.second, depth);
    }
    return object;
  }

  // kubectl's order: what is merged lies over what stands before it.
  void merge(json& object, const YAML::Node& source, int depth) {
    const json merged = value_of(source, depth);
    if (merged.is_object()) {
      object.update(merged);
      return;
    }
    const bool is_list_of_maps =
        merged.is_array() && std::all_of(merged.begin(), merged.end(),
                                         [](const json& each) { return each.is_object(); });
    if (!is_list_of_maps) throw YAML::Exception(source.Mark(), "<< takes a map or a list of maps");
    for (auto each = merged.rbegin(); each != merged.rend(); ++each) object.update(*each);
  }

  int values_ = 0;
};

// Refuses what Document refuses. JSON is read as such where it can be, since YAML forbids some of
// it, such as a character written as two surrogates.
class JsonGuard {
 public:
  bool operator()(int depth, json::parse_event_t event, json& parsed) {
    if (depth > kDeepest) refuse("nested too deeply");
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key && !keys_.back().insert(parsed).second) {
      refuse(parsed.get<std::string>() + " stands twice");
    }
    if (event == json::parse_event_t::value) parsed = as_whole_number(parsed);
    return true;
  }

 private:
  [[noreturn]] static void refuse(const std::string& sentence) {
    throw std::invalid_argument(sentence);
  }

  std::vector<std::set<std::string>> keys_;
};

// Absent when the text is no JSON object.
std::optional<json> json_object(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") != text.find('{')) return std::nullopt;
  // The guard remembers, so the parser may not copy it.
  JsonGuard guard;
  try {
    return json::parse(text, std::ref(guard));
  } catch (const json::parse_error&) {
    return std::nullopt;  // YAML may begin with a brace, too
  }
}

std::vector<json> yaml_documents(const std::string& text) {
  std::vector<json> documents;
  for (const YAML::Node& document : YAML::LoadAll(text)) {
    json value = Document().value_of(document);
    if (!value.is_null()) documents.push_back(std::move(value));
  }
  return documents;
}

}  // namespace

Result<std::vector<json>> parse_manifest(const std::string& text) try {
  if (auto object = json_object(text)) return std::vector<json>{std::move(*object)};
  return yaml_documents(text);
} catch (const YAML::Exception& error) {
  return failure(Kind::kInvalid, "line " + std::to_string(error.mark.line + 1) + ", column " +
                                     std::to_string(error.mark.column + 1) + ": " + error.msg);
} catch (const std::invalid_argument& error) {
  return failure(Kind::kInvalid, error.what());
}

}  // namespace lockstep
