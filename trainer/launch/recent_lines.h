// The last lines a rank wrote: evidence for the termination message.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace lockstep {

// Keeps the newest kMost lines, of each at most kLongest bytes.
class RecentLines {
 public:
  static constexpr std::size_t kMost = 20;
  static constexpr std::size_t kLongest = 512;

  void push(std::string_view line) {
    if (lines_.size() == kMost) lines_.pop_front();
    lines_.emplace_back(line.substr(0, kLongest));
  }

  const std::deque<std::string>& lines() const { return lines_; }

 private:
  std::deque<std::string> lines_;
};

}  // namespace lockstep
