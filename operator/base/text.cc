// Both ends of a text, and what in it is no text.
#include "operator/base/text.h"

#include <string_view>

namespace lockstep {
namespace {

bool is_inside_a_character(const std::string& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

bool is_control(unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }

// U+0080 to U+009F, which some terminals obey as well.
bool is_c1(std::string_view text, std::size_t at) {
  return text[at] == '\xc2' && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) < 0xa0;
}

}  // namespace

std::string head(const std::string& text, std::size_t bytes) {
  constexpr std::string_view kMore = "...";
  if (text.size() <= bytes) return text;
  std::size_t end = bytes < kMore.size() ? 0 : bytes - kMore.size();
  while (is_inside_a_character(text, end)) --end;
  return text.substr(0, end) + std::string(kMore.substr(0, bytes));
}

std::string tail(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t start = text.size() - bytes;
  while (is_inside_a_character(text, start)) ++start;
  return text.substr(start);
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_c1(text, i)) {
      ++i;
    } else if (!is_control(static_cast<unsigned char>(text[i]))) {
      clean += text[i];
    }
  }
  return clean;
}

}  // namespace lockstep
