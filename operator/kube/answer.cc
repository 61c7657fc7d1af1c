// HTTP codes and Status objects -> Error.
#include "operator/kube/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "operator/api/fields.h"
#include "operator/base/text.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxMessageBytes = 1024;

Kind kind_of(int code, const std::string& reason) {
  if (code == 410 || reason == "Expired" || reason == "Gone") return Kind::kGone;
  switch (code) {
    case 401:
    case 403:
      return Kind::kForbidden;
    case 404:
      return Kind::kNotFound;
    case 409:
      return Kind::kConflict;
    case 429:
      return Kind::kThrottled;
    case 408:
      return Kind::kUnavailable;
    default:
      return code >= 400 && code < 500 ? Kind::kInvalid : Kind::kUnavailable;
  }
}

std::string clipped(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return head(text, kMaxMessageBytes);
}

// RBAC's refusal, as against one by quota or admission: 'User "x" cannot list resource "pods" ...'.
bool is_missing_permission(const Request& request, int code, const std::string& message) {
  return code == 403 && message.find(" cannot " + request.verb + " resource") != std::string::npos;
}

std::string message_of(const Request& request, int code, const std::string& said) {
  if (is_missing_permission(request, code, said)) {
    return "cannot " + describe(request) + ": add verb " + request.verb + " on " +
           request.resource + " to the operator's role";
  }
  if (code == 401) {
    return "cannot " + describe(request) + ": the API server does not accept our credentials";
  }
  const bool is_collection = request.verb == "list" || request.verb == "watch";
  if (code == 404 && is_collection) {
    return "cannot " + describe(request) + ": the API server does not know " + request.resource +
           "; is its CRD applied?";
  }
  return "cannot " + describe(request) + ": " +
         (said.empty() ? "HTTP " + std::to_string(code) : clipped(said));
}

// The reason, or the cause where it says more.
std::string reason_of(const json& status) {
  for (const json& cause : fields::list(fields::member(status, "details"), "causes")) {
    if (fields::text(cause, "reason") == "ResourceVersionTooLarge") {
      return "ResourceVersionTooLarge";
    }
  }
  return fields::text(status, "reason");
}

}  // namespace

Error error_of_status(const Request& request, const json& status) {
  const int code = fields::small_integer(status, "code");
  Error error;
  error.reason = reason_of(status);
  error.kind = kind_of(code, error.reason);
  error.message = message_of(request, code, fields::text(status, "message"));
  error.retry_after_seconds =
      fields::small_integer(fields::member(status, "details"), "retryAfterSeconds");
  return error;
}

Error error_of(const Request& request, const Response& response) {
  json status = json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (fields::text(status, "kind") != "Status") status = {{"message", response.body}};
  status["code"] = response.status;
  Error error = error_of_status(request, status);
  error.retry_after_seconds = std::max(error.retry_after_seconds, response.retry_after_seconds);
  return error;
}

}  // namespace lockstep
