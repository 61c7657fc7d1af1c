// Standard output and error of the launcher: whole lines, in order, without ever blocking.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "trainer/launch/fd.h"

namespace lockstep {

// One queue for both descriptors, so that no line is torn where both lead to the same place. A
// descriptor whose reader has gone loses its lines; the training goes on. Expects SIGPIPE ignored.
class Output {
 public:
  Output();

  void write_line(int fd, std::string_view prefix, std::string_view line);

  // Writes what the descriptors take at once; returns whether that was anything.
  bool pump();

  // The descriptor to wait for until it can be written; -1 when nothing is queued.
  int waiting_for() const { return queue_.empty() ? -1 : target(queue_.front().fd); }

  // More than enough is queued: let the ranks wait.
  bool is_full() const { return queued_ > kEnough; }

 private:
  struct Text {
    int fd;
    std::string bytes;
  };
  static constexpr std::size_t kEnough = 4 << 20;
  static constexpr std::size_t kBlock = 64 << 10;

  int target(int fd) const;
  bool write_some(Text& text);
  void drop_front();

  std::map<int, Fd> terminals_;  // by descriptor: the same terminal, opened so that it never blocks
  std::deque<Text> queue_;
  std::size_t written_ = 0;  // of the front
  std::size_t queued_ = 0;
  std::set<int> closed_;
};

}  // namespace lockstep
