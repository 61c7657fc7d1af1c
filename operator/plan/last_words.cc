// Reads the launcher's termination message.
#include "operator/plan/last_words.h"

#include <nlohmann/json.hpp>

#include "operator/api/fields.h"

namespace lockstep {

std::optional<LastWords> parse_last_words(const std::string& termination_message) {
  const auto message = nlohmann::json::parse(termination_message, nullptr, false);
  if (!fields::member(message, "rank").is_number_integer()) return std::nullopt;
  LastWords words;
  words.rank = fields::small_integer(message, "rank");
  words.exit_code = fields::small_integer(message, "exitCode");
  words.signal = fields::small_integer(message, "signal");
  const std::int64_t milliseconds = fields::integer(message, "time");
  if (milliseconds > 0) words.time = Time(std::chrono::milliseconds(milliseconds));
  words.text = fields::text(message, "reason");
  for (const nlohmann::json& line : fields::list(message, "lastLines")) {
    if (line.is_string()) words.text += "\n" + line.get<std::string>();
  }
  return words;
}

std::string tail(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t start = text.size() - bytes;
  const auto is_continuation = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
  };
  while (start < text.size() && is_continuation(text[start])) ++start;
  return text.substr(start);
}

}  // namespace lockstep
