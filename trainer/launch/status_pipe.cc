// Lines from a FIFO; see status_pipe.h.
#include "trainer/launch/status_pipe.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace lockstep {

StatusPipe::StatusPipe(const std::filesystem::path& path) {
  if (mkfifo(path.c_str(), 0600) == 0) {
    fifo_ = Fd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  }
  if (!fifo_.is_open()) throw std::system_error(errno, std::generic_category(), path.string());
}

void StatusPipe::read(Time now) {
  char buffer[64 << 10];
  const ssize_t count = ::read(fifo_.get(), buffer, sizeof buffer);
  if (count > 0) feed({buffer, static_cast<std::size_t>(count)}, now);
}

void StatusPipe::feed(std::string_view bytes, Time now) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    is_too_long_ = is_too_long_ || line_.size() + piece.size() >= kLongestLine;
    if (!is_too_long_) line_ += piece;
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(end + 1);
    finish_line(now);
  }
}

void StatusPipe::finish_line(Time now) {
  if (std::exchange(is_too_long_, false)) {
    reject("it is longer than 4096 bytes");
  } else if (has_budget(now)) {
    settle();
    take(line_, now);
  } else {
    if (put_off_) ++counts_.skipped;
    put_off_ = line_;
    put_off_at_ = now;
  }
  line_.clear();
}

bool StatusPipe::has_budget(Time now) {
  if (now - second_began_ >= std::chrono::seconds(1)) {
    second_began_ = now;
    lines_this_second_ = 0;
  }
  return ++lines_this_second_ <= kLinesPerSecond;
}

void StatusPipe::settle() {
  if (const auto line = std::exchange(put_off_, std::nullopt)) take(*line, put_off_at_);
}

void StatusPipe::take(std::string_view line, Time now) {
  const std::string fault = merge_line(report_, line);
  if (!fault.empty()) return reject(fault);
  ++counts_.accepted;
  last_accepted_ = now;
}

void StatusPipe::reject(const std::string& fault) {
  if (counts_.rejected++ == 0) first_fault_ = fault;
}

}  // namespace lockstep
