// Times of lines, and which of them are new.
#include "operator/plugin/log_stream.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace lockstep {
namespace {

constexpr std::chrono::seconds kDisorder{1};  // between the two streams of a container
constexpr std::size_t kLengthOfSeconds = 19;  // "2026-01-02T03:04:05"

// "Z", "+02:00"
std::optional<std::chrono::minutes> parse_zone(const std::string& text) {
  if (text == "Z") return std::chrono::minutes(0);
  char sign = 0;
  int hours = 0, minutes = 0, length = 0;
  std::sscanf(text.c_str(), "%c%2d:%2d%n", &sign, &hours, &minutes, &length);
  const bool is_zone = length == 6 && text.size() == 6 && (sign == '+' || sign == '-');
  if (!is_zone) return std::nullopt;
  return std::chrono::minutes((sign == '-' ? -1 : 1) * (60 * hours + minutes));
}

// The whole second of RFC 3339 with any fraction.
std::optional<Time> parse_second(std::string_view text) {
  if (text.size() <= kLengthOfSeconds) return std::nullopt;
  const auto second = parse_time(std::string(text.substr(0, kLengthOfSeconds)) + "Z");
  text.remove_prefix(kLengthOfSeconds);
  if (text.front() == '.') text.remove_prefix(1);
  while (!text.empty() && '0' <= text.front() && text.front() <= '9') text.remove_prefix(1);
  const auto zone = parse_zone(std::string(text));
  if (!second || !zone) return std::nullopt;
  return *second - *zone;
}

}  // namespace

std::string LogStream::line_of(Time second, std::string_view text) {
  const std::string_view words = text.substr(text.find(' ') + 1);
  const std::string wanted = words.starts_with(prefix_) ? std::string(words) : "";
  if (is_passing_over_ && second <= *last_) {
    passed_over_ += wanted;
    if (text != last_line_) return "";
    is_passing_over_ = false;
    passed_over_.clear();
    return "";
  }
  is_passing_over_ = false;
  last_ = std::max(last_.value_or(second), second);
  if (second >= *last_ - kDisorder) last_line_ = text;  // earlier ones are not read again
  return std::exchange(passed_over_, "") + wanted;
}

std::string LogStream::line(std::string_view text) {
  const std::size_t blank = text.find(' ');
  const auto second =
      blank == std::string_view::npos ? std::nullopt : parse_second(text.substr(0, blank));
  if (second) return line_of(*second, text);
  return text.starts_with(prefix_) ? std::string(text) : "";
}

std::string LogStream::take(std::string_view bytes) {
  std::string now;
  for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
    part_ += bytes.substr(0, end + 1);
    now += line(part_);
    part_.clear();
    bytes.remove_prefix(end + 1);
  }
  part_ += bytes;
  return now;
}

std::string LogStream::end() {
  std::string now = part_.empty() ? "" : line(part_ + "\n");
  part_.clear();
  return now + std::exchange(passed_over_, "");
}

void LogStream::begin_again() {
  part_.clear();
  passed_over_.clear();
  is_passing_over_ = last_.has_value();
}

std::optional<std::string> LogStream::since() const {
  return last_ ? std::optional(format_time(*last_ - kDisorder)) : std::nullopt;
}

}  // namespace lockstep
