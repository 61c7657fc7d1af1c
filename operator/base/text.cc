// Both ends of a text.
#include "operator/base/text.h"

#include <string_view>

namespace lockstep {
namespace {

bool is_inside_a_character(const std::string& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
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

}  // namespace lockstep
