// Cuts a byte stream into lines, whatever the chunks it comes in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep {

// A line ends at \n, \r\n, or a lone \r (progress bars redraw that way), and is handed on without
// its end. A line longer than `longest` bytes is handed on in pieces of that size.
class LineSplitter {
 public:
  static constexpr std::size_t kLongest = 1 << 20;

  explicit LineSplitter(std::size_t longest = kLongest) : longest_(longest) {}

  // Calls on_line(std::string_view) for each line that `bytes` completes.
  template <typename OnLine>
  void feed(std::string_view bytes, OnLine&& on_line) {
    while (!bytes.empty()) {
      if (std::exchange(after_return_, false) && bytes.front() == '\n') {
        bytes.remove_prefix(1);
        continue;
      }
      const std::size_t end = bytes.find_first_of("\r\n");
      const std::size_t taken = append(bytes.substr(0, end));
      bytes.remove_prefix(taken);
      const bool ended = end == taken;
      if (ended) {
        after_return_ = bytes.front() == '\r';
        bytes.remove_prefix(1);
      }
      if (ended || line_.size() == longest_) emit(on_line);
    }
  }

  // Calls on_line with the unfinished last line, if there is one.
  template <typename OnLine>
  void finish(OnLine&& on_line) {
    if (!line_.empty()) emit(on_line);
  }

 private:
  std::size_t append(std::string_view bytes) {
    const std::string_view fitting = bytes.substr(0, longest_ - line_.size());
    line_ += fitting;
    return fitting.size();
  }

  template <typename OnLine>
  void emit(OnLine& on_line) {
    on_line(std::string_view(line_));
    line_.clear();
  }

  std::size_t longest_;
  std::string line_;
  bool after_return_ = false;
};

}  // namespace lockstep
