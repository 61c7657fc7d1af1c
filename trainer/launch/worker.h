// One rank: its process, what it writes, how it ended.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/line_splitter.h"
#include "trainer/launch/recent_lines.h"
#include "trainer/launch/root_cause.h"
#include "trainer/launch/spawn.h"

namespace lockstep {

class Worker {
 public:
  // A pipe from the rank and where its lines go: descriptor 1 or 2 of the launcher.
  struct Stream {
    Fd pipe;
    int target;
    LineSplitter lines;
  };
  using OnLine = std::function<void(int target, std::string_view prefix, std::string_view line)>;

  // Starts the program. Throws SpawnError.
  Worker(int rank, const std::vector<std::string>& command, const Environment& environment);

  int rank() const { return rank_; }
  pid_t pid() const { return pid_; }
  bool is_running() const { return is_running_; }
  const RecentLines& recent() const { return recent_; }
  std::array<Stream, 2>& streams() { return streams_; }

  // Reads what is there, at most 256 KiB, and closes the pipe at its end.
  void read(Stream& stream, const OnLine& on_line);

  // To the whole process group, if the rank still runs.
  void signal(int number);

  // Its wait status has arrived.
  Exit ended(int status);

 private:
  int rank_;
  pid_t pid_;
  bool is_running_ = true;
  std::string prefix_;
  std::array<Stream, 2> streams_;
  RecentLines recent_;
  std::set<int> sent_;
};

// Milliseconds since the epoch.
std::int64_t now_ms();

}  // namespace lockstep
