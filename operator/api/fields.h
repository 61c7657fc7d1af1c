// Lenient reads of JSON fields: what is absent, or of another type, reads as the fallback.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "operator/api/meta.h"

namespace lockstep::fields {

// The member, or a null that lives for ever.
const nlohmann::json& member(const nlohmann::json& object, const char* key);

std::string text(const nlohmann::json& object, const char* key);
bool flag(const nlohmann::json& object, const char* key);
std::int64_t integer(const nlohmann::json& object, const char* key, std::int64_t fallback = 0);
int small_integer(const nlohmann::json& object, const char* key, int fallback = 0);  // clipped
std::optional<int> optional_integer(const nlohmann::json& object, const char* key);
std::optional<Time> time(const nlohmann::json& object, const char* key);
std::map<std::string, std::string> text_map(const nlohmann::json& object, const char* key);

// The member when it is an array, else an empty array: for range-for.
const nlohmann::json& list(const nlohmann::json& object, const char* key);

}  // namespace lockstep::fields
