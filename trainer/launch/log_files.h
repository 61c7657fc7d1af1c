// What each rank of a node writes, kept in a file of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/launch/line_queue.h"

namespace lockstep {

struct LogSpec {
  std::filesystem::path directory;  // made when it is not there; empty: no log files
  std::uint64_t max_size = 0;       // of one file
};

// DIRECTORY/rank-3.log
std::filesystem::path log_path(const std::filesystem::path& directory, int rank);

// A thread of its own does all that touches the file system, so that a slow or dead network file
// system holds up no rank: what it cannot keep up with is dropped, and the file says so. Of folders
// attempt-N beside its own it keeps the last ten. The first
// fault ends all files; training goes on, and the console has every line.
class LogFiles {
 public:
  LogFiles(const LogSpec& spec, const std::vector<int>& ranks);
  ~LogFiles() { queue_->close(); }
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;

  void write_line(int rank, std::string_view line) { queue_->push(rank, line); }

  // A sentence on what went wrong, once; empty: nothing did.
  std::string take_fault();

  // No more lines come: waits until the last ones are written, or for `patience`.
  std::string finish(std::chrono::milliseconds patience);

 private:
  std::shared_ptr<LineQueue> queue_;  // the thread may outlive us inside a system call
  std::future<std::string> ended_;    // its fault, or empty
};

}  // namespace lockstep
