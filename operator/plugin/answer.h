// What kubectl printed, made safe and understood. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "operator/base/result.h"

namespace lockstep {

// Reasons of errors beside the API server's own.
inline constexpr char kNoSuchKind[] = "NoSuchKind";      // the cluster does not serve it
inline constexpr char kNoKubectl[] = "NoKubectl";        // kubectl cannot be run
inline constexpr char kUnauthorized[] = "Unauthorized";  // nobody we know

// JSON whose strings are printable and that is at most 64 levels deep: what lies deeper is left
// out. Discarded (json::is_discarded) when it is no JSON.
nlohmann::json parse_printable(std::string_view text);

// What a failed kubectl meant. kNotFound, kForbidden, kUnavailable: as their kinds say; kInvalid:
// the rest, in kubectl's words.
Error parse_complaint(std::string_view standard_error);

}  // namespace lockstep
