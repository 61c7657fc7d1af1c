// Walks a text line by line.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep {

// Lines end with "\n" or "\r\n"; the last need not. A byte order mark at the start is no text.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  // Moves to the next line; false when there is none.
  bool next() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }

  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }  // the first is 1

 private:
  std::string_view rest_;
  std::string_view line_;
  std::int64_t number_ = 0;
};

}  // namespace lockstep
