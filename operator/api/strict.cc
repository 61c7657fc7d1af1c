// Strict reads of JSON fields.
#include "operator/api/strict.h"

#include "operator/api/fields.h"

namespace lockstep::strict {

using nlohmann::json;

tl::unexpected<Error> refuse(const std::string& where, const json& value, std::string_view advice) {
  const std::string shown = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return failure(Kind::kInvalid, where + " is " +
                                     (shown.size() > 80 ? shown.substr(0, 77) + "..." : shown) +
                                     ": write " + std::string(advice));
}

Result<std::optional<int>> optional_integer(const json& object, const std::string& where,
                                            const char* key, Range range) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return std::optional<int>();
  if (value.is_number_integer() && value >= range.low && value <= range.high) {
    return value.get<int>();
  }
  return refuse(
      where + key, value,
      "a whole number from " + std::to_string(range.low) + " to " + std::to_string(range.high));
}

Result<int> integer(const json& object, const std::string& where, const char* key, Range range,
                    int fallback) {
  return TRY(optional_integer(object, where, key, range)).value_or(fallback);
}

Result<std::string> text(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return std::string();
  if (value.is_string()) return value.get<std::string>();
  return refuse(where + key, value, "a string");
}

Result<bool> flag(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  return refuse(where + key, value, "true or false");
}

Result<json> object(const json& parent, const std::string& where, const char* key) {
  const json& value = fields::member(parent, key);
  if (value.is_null()) return json::object();
  if (value.is_object()) return value;
  return refuse(where + key, value, "an object");
}

Result<json> objects(const json& object, const std::string& where, const char* key) {
  const json& value = fields::member(object, key);
  if (value.is_null()) return json::array();
  if (!value.is_array()) return refuse(where + key, value, "a list of objects");
  for (const json& entry : value) {
    if (!entry.is_object()) return refuse(where + key + "[]", entry, "an object");
  }
  return value;
}

Result<json> named_objects(const json& object, const std::string& where, const char* key) {
  json list = TRY(objects(object, where, key));
  for (const json& entry : list) {
    if (fields::text(entry, "name").empty()) {
      return refuse(where + key + "[]", entry, "an entry with a name");
    }
  }
  return list;
}

Result<std::vector<std::string>> strings(const json& object, const std::string& where,
                                         const char* key) {
  std::vector<std::string> strings;
  const json& value = fields::member(object, key);
  if (value.is_null()) return strings;
  if (!value.is_array()) return refuse(where + key, value, "a list of strings");
  for (const json& entry : value) {
    if (!entry.is_string()) return refuse(where + key + "[]", entry, "a string, in quotes");
    strings.push_back(entry.get<std::string>());
  }
  return strings;
}

}  // namespace lockstep::strict
