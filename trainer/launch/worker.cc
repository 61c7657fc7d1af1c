// A rank's life; see worker.h.
#include "trainer/launch/worker.h"

#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <csignal>

namespace lockstep {

Worker::Worker(int rank, const std::vector<std::string>& command, const Environment& environment)
    : rank_(rank), prefix_("[rank " + std::to_string(rank) + "] ") {
  Process process = spawn(command, environment);
  pid_ = process.pid;
  streams_[0] = {std::move(process.out), STDOUT_FILENO, LineSplitter()};
  streams_[1] = {std::move(process.err), STDERR_FILENO, LineSplitter()};
}

void Worker::read(Stream& stream, const OnLine& on_line) {
  const auto emit = [&](std::string_view line) {
    recent_.push(line);
    on_line(stream.target, prefix_, line);
  };
  char buffer[64 << 10];
  for (int round = 0; round < 4; ++round) {  // then the other ranks have their turn
    const ssize_t count = ::read(stream.pipe.get(), buffer, sizeof buffer);
    if (count < 0) return;
    if (count == 0) {
      stream.lines.finish(emit);
      stream.pipe.reset();
      return;
    }
    stream.lines.feed({buffer, static_cast<std::size_t>(count)}, emit);
  }
}

void Worker::signal(int number) {
  if (!is_running_) return;
  sent_.insert(number);
  kill(-pid_, number);
}

Exit Worker::ended(int status) {
  is_running_ = false;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int code = signal ? 128 + signal : WEXITSTATUS(status);
  const bool is_ours = code > 128 && sent_.contains(code - 128);
  return {rank_, code, signal, now_ms(), is_ours, {}};
}

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace lockstep
