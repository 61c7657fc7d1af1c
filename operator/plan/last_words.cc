// Reads the launcher's termination message.
#include "operator/plan/last_words.h"

#include <nlohmann/json.hpp>

#include "operator/api/fields.h"
#include "operator/api/node_group.h"

namespace lockstep {
namespace {

constexpr std::int64_t kYear2100 = 4'102'444'800'000;  // milliseconds

std::optional<NodeReport::Rank> parse_hang(const nlohmann::json& source) {
  if (!source.is_object()) return std::nullopt;
  NodeReport::Rank place{.phase = fields::text(source, "phase"),
                         .epoch = fields::integer(source, "epoch"),
                         .silent_seconds = static_cast<double>(fields::integer(source, "seconds")),
                         .is_stopped = fields::flag(source, "stopped")};
  if (source.contains("step")) place.step = fields::integer(source, "step");
  return place;
}

}  // namespace

std::optional<LastWords> parse_last_words(const std::string& termination_message) {
  const auto message = nlohmann::json::parse(termination_message, nullptr, false);
  LastWords words;
  words.rank = fields::small_integer(message, "rank", -1);
  if (words.rank < 0 || words.rank >= kMaxNodes * kMaxProcPerNode) return std::nullopt;
  words.exit_code = fields::small_integer(message, "exitCode");
  words.signal = fields::small_integer(message, "signal");
  const std::int64_t milliseconds = fields::integer(message, "time");
  if (milliseconds > 0 && milliseconds < kYear2100)
    words.time = Time(std::chrono::milliseconds(milliseconds));
  words.text = fields::text(message, "reason");
  for (const nlohmann::json& line : fields::list(message, "lastLines")) {
    if (line.is_string()) words.text += "\n" + line.get<std::string>();
  }
  words.hang = parse_hang(fields::member(message, "hang"));
  return words;
}

std::optional<Progress> parse_last_progress(const std::string& termination_message) {
  const auto message = nlohmann::json::parse(termination_message, nullptr, false);
  const nlohmann::json& progress = fields::member(message, "progress");
  return progress.is_object() ? std::optional(parse_progress(progress)) : std::nullopt;
}

}  // namespace lockstep
