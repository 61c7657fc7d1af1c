// The last lines a rank wrote: evidence for the termination message.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

namespace lockstep {

// Keeps the newest kMost lines, of each at most kLongest bytes: both ends of a longer one, since an
// error begins with its kind and often ends with its cause.
class RecentLines {
 public:
  static constexpr std::size_t kMost = 20;
  static constexpr std::size_t kLongest = 512;

  void push(std::string_view line) {
    if (lines_.size() == kMost) lines_.pop_front();
    lines_.push_back(shortened(line));
  }

  const std::deque<std::string>& lines() const { return lines_; }

 private:
  static std::string shortened(std::string_view line) {
    constexpr std::string_view kGap = " ... ";
    constexpr std::size_t kEnd = (kLongest - kGap.size()) / 2;
    if (line.size() <= kLongest) return std::string(line);
    std::string both(line.substr(0, kLongest - kGap.size() - kEnd));
    return both.append(kGap).append(line.substr(line.size() - kEnd));
  }

  std::deque<std::string> lines_;
};

}  // namespace lockstep
