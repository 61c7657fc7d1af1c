// A mutex around a map; see line_queue.h.
#include "trainer/launch/line_queue.h"

#include <utility>

namespace lockstep {

void LineQueue::push(int rank, std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  if (waiting_bytes_ + taken_bytes_ + line.size() >= most_) {
    ++lost_[rank];
    return;
  }
  tell_loss(rank);
  append(rank, line);
  changed_.notify_one();
}

std::optional<LineQueue::Batch> LineQueue::take() {
  std::unique_lock lock(mutex_);
  taken_bytes_ = 0;
  changed_.wait(lock, [&] { return is_closed_ || !waiting_.empty(); });
  if (waiting_.empty()) return std::nullopt;
  taken_bytes_ = std::exchange(waiting_bytes_, 0);
  return std::exchange(waiting_, {});
}

void LineQueue::close() {
  const std::lock_guard lock(mutex_);
  for (const auto& [rank, count] : lost_) tell_loss(rank);
  is_closed_ = true;
  changed_.notify_one();
}

void LineQueue::append(int rank, std::string_view line) {
  waiting_[rank].append(line).push_back('\n');
  waiting_bytes_ += line.size() + 1;
}

void LineQueue::tell_loss(int rank) {
  if (const auto count = std::exchange(lost_[rank], 0)) {
    append(rank, "[launch] lines missing here: " + std::to_string(count) +
                     "; they came faster than this file could be written");
  }
}

}  // namespace lockstep
