// Lenient reads of JSON fields.
#include "operator/api/fields.h"

#include <algorithm>
#include <limits>

namespace lockstep::fields {

const nlohmann::json& member(const nlohmann::json& object, const char* key) {
  static const nlohmann::json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

std::string text(const nlohmann::json& object, const char* key) {
  const nlohmann::json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool flag(const nlohmann::json& object, const char* key) {
  const nlohmann::json& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

std::int64_t integer(const nlohmann::json& object, const char* key, std::int64_t fallback) {
  const nlohmann::json& value = member(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

int small_integer(const nlohmann::json& object, const char* key, int fallback) {
  return static_cast<int>(std::clamp<std::int64_t>(integer(object, key, fallback),
                                                   std::numeric_limits<int>::min(),
                                                   std::numeric_limits<int>::max()));
}

std::optional<int> optional_integer(const nlohmann::json& object, const char* key) {
  if (!member(object, key).is_number_integer()) return std::nullopt;
  return small_integer(object, key);
}

std::optional<Time> time(const nlohmann::json& object, const char* key) {
  return parse_time(text(object, key));
}

std::map<std::string, std::string> text_map(const nlohmann::json& object, const char* key) {
  std::map<std::string, std::string> result;
  const nlohmann::json& value = member(object, key);
  if (!value.is_object()) return result;
  for (const auto& [name, entry] : value.items()) {
    if (entry.is_string()) result[name] = entry.get<std::string>();
  }
  return result;
}

const nlohmann::json& list(const nlohmann::json& object, const char* key) {
  static const nlohmann::json empty = nlohmann::json::array();
  const nlohmann::json& value = member(object, key);
  return value.is_array() ? value : empty;
}

}  // namespace lockstep::fields
