// Poll before each write; see output.h.
#include "trainer/launch/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace lockstep {
namespace {

bool is_writable(int fd) {
  pollfd ready = {fd, POLLOUT, 0};
  return poll(&ready, 1, 0) == 1;
}

// A pipe that polls as writable takes PIPE_BUF bytes without blocking; a file takes any number. A
// terminal promises nothing of the kind.
std::size_t portion(int fd) {
  struct stat status;
  const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? SIZE_MAX : PIPE_BUF;
}

}  // namespace

Output::Output() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    if (!isatty(fd)) continue;
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    Fd terminal(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (terminal.is_open()) terminals_[fd] = std::move(terminal);
  }
}

int Output::target(int fd) const {
  const auto found = terminals_.find(fd);
  return found == terminals_.end() ? fd : found->second.get();
}

void Output::write_line(int fd, std::string_view prefix, std::string_view line) {
  if (closed_.contains(fd)) return;
  const bool is_continued =
      !queue_.empty() && queue_.back().fd == fd && queue_.back().bytes.size() < kBlock;
  if (!is_continued) queue_.push_back({fd, {}});
  std::string& bytes = queue_.back().bytes;
  bytes.append(prefix).append(line).push_back('\n');
  queued_ += prefix.size() + line.size() + 1;
}

bool Output::pump() {
  bool has_written = false;
  while (!queue_.empty() && write_some(queue_.front())) has_written = true;
  return has_written;
}

// False when the descriptor takes nothing more now.
bool Output::write_some(Text& text) {
  if (closed_.contains(text.fd)) {
    drop_front();
    return true;
  }
  const int fd = target(text.fd);
  if (!is_writable(fd)) return false;
  const std::size_t rest = std::min(text.bytes.size() - written_, portion(fd));
  const ssize_t count = write(fd, text.bytes.data() + written_, rest);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count < 0) {
    closed_.insert(text.fd);
    return true;
  }
  written_ += count;
  if (written_ == text.bytes.size()) drop_front();
  return true;
}

void Output::drop_front() {
  queued_ -= queue_.front().bytes.size();
  queue_.pop_front();
  written_ = 0;
}

}  // namespace lockstep
