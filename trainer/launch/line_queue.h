// Lines on their way from the launcher's loop to the thread that writes them to files.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// One thread pushes, one takes. A line for which there is no room is dropped, and in its place one
// line says how many were.
class LineQueue {
 public:
  using Batch = std::map<int, std::string>;  // whole lines by rank

  // `most` bytes may be queued, what was taken last included.
  explicit LineQueue(std::size_t most) : most_(most) {}

  // Never waits. After close() the line is forgotten.
  void push(int rank, std::string_view line);

  // Waits for lines. Nothing: the queue is closed and empty.
  std::optional<Batch> take();

  void close();

 private:
  void append(int rank, std::string_view line);
  void tell_loss(int rank);

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Batch waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t taken_bytes_ = 0;
  std::map<int, std::int64_t> lost_;  // lines since the last one that had room
  bool is_closed_ = false;
};

}  // namespace lockstep
