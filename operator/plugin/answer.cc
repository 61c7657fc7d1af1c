// kubectl has one exit code for all faults, so its words are read.
#include "operator/plugin/answer.h"

#include <algorithm>

#include "operator/base/text.h"

namespace lockstep {
namespace {

constexpr int kDeepest = 64;

struct Saying {
  std::string_view words;
  Kind kind;
  const char* reason;
};

constexpr Saying kSayings[] = {
    {"the server doesn't have a resource type", Kind::kNotFound, kNoSuchKind},
    {"could not find the requested resource", Kind::kNotFound, kNoSuchKind},
    {"(NotFound)", Kind::kNotFound, "NotFound"},
    {"(Forbidden)", Kind::kForbidden, "Forbidden"},
    {"(Unauthorized)", Kind::kForbidden, kUnauthorized},
    {"(Conflict)", Kind::kConflict, "Conflict"},
    {"Unable to connect to the server", Kind::kUnavailable, ""},
    {"The connection to the server", Kind::kUnavailable, ""},
    {"(ServiceUnavailable)", Kind::kUnavailable, "ServiceUnavailable"},
    {"(Timeout)", Kind::kUnavailable, "Timeout"},
    {"(TooManyRequests)", Kind::kUnavailable, "TooManyRequests"},
    {"(InternalError)", Kind::kUnavailable, "InternalError"},
    {"context deadline exceeded", Kind::kUnavailable, ""},
    {"it took too long", Kind::kUnavailable, ""},
    {"cannot run ", Kind::kUnavailable, kNoKubectl}};

// The last line that is not a log line of its libraries ("E1130 16:18:40.27 ...").
std::string last_word(std::string_view text) {
  std::string word;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const bool is_log_line = line.size() > 5 && line[5] == ' ' &&
                             std::string_view("EWI").find(line[0]) != std::string_view::npos;
    if (!line.empty() && (word.empty() || !is_log_line)) word = line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return word;
}

}  // namespace

nlohmann::json parse_printable(std::string_view text) {
  const auto keep = [](int depth, nlohmann::json::parse_event_t, nlohmann::json& value) {
    if (value.is_string()) value = printable(value.get_ref<const std::string&>());
    return depth <= kDeepest;
  };
  return nlohmann::json::parse(text, keep, false);
}

Error parse_complaint(std::string_view standard_error) {
  const std::string words = printable(last_word(standard_error));
  for (const Saying& saying : kSayings) {
    if (words.find(saying.words) == std::string::npos) continue;
    return {.kind = saying.kind, .message = words, .reason = saying.reason};
  }
  return {.kind = Kind::kInvalid, .message = words.empty() ? "kubectl failed in silence" : words};
}

}  // namespace lockstep
