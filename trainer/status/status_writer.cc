// The handler of SIGALRM does no more than write() and clock_gettime().
#include "trainer/status/status_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace lockstep {
namespace {

// Also open for reading, though nobody reads here: so a write to a FIFO whose reader is gone fills
// it up instead of raising SIGPIPE.
int open_fifo(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  struct stat file {};
  if (fd >= 0 && fstat(fd, &file) == 0 && S_ISFIFO(file.st_mode)) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

}  // namespace

StatusWriter::StatusWriter(const std::optional<std::string>& path, std::chrono::milliseconds pause)
    : pause_(pause) {
  if (!path || !make_timer()) return;
  fifo_ = open_fifo(*path);
  tell();
}

StatusWriter::~StatusWriter() {
  if (timer_) timer_delete(*timer_);
  if (is_newer_) tell_newest();
  if (fifo_ >= 0) close(fifo_);
}

void StatusWriter::enter(Phase phase) {
  if (phase == status_.phase) return;
  status_.phase = phase;
  tell();
}

void StatusWriter::plan(std::int64_t epochs, std::int64_t steps) {
  status_.epochs = epochs;
  status_.steps = steps;
  tell_after_pause();
}

void StatusWriter::figures(const Figures& figures) {
  status_.figures = figures;
  tell_after_pause();
}

void StatusWriter::checkpoint(std::int64_t step) {
  status_.checkpoint_step = step;
  tell_after_pause();
}

void StatusWriter::step(std::int64_t epoch, std::int64_t step) {
  status_.epoch = epoch;
  status_.step = step;
  if (status_.phase == Phase::kStep) return tell_after_pause();
  enter(Phase::kStep);
}

bool StatusWriter::make_timer() {
  struct sigaction action {};
  action.sa_sigaction = on_alarm;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event._sigev_un._tid = gettid();
  event.sigev_signo = SIGALRM;
  event.sigev_value.sival_ptr = this;
  timer_t timer{};
  if (sigaction(SIGALRM, &action, nullptr) != 0) return false;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return false;
  timer_ = timer;
  return true;
}

void StatusWriter::on_alarm(int, siginfo_t* info, void*) {
  if (info->si_code != SI_TIMER) return;
  const int error = errno;
  auto& writer = *static_cast<StatusWriter*>(info->si_value.sival_ptr);
  writer.is_timed_ = false;
  if (writer.is_newer_) writer.tell_newest();
  errno = error;
}

void StatusWriter::compose() {
  if (fifo_ < 0) return;
  is_newer_ = false;  // the handler keeps off
  line_ = line_of(status_);
  is_newer_ = true;
}

void StatusWriter::tell() {
  compose();
  tell_newest();
}

void StatusWriter::tell_after_pause() {
  compose();
  if (fifo_ < 0) return;
  const Clock::duration wait = pause_ends_.load() - Clock::now();
  if (wait <= Clock::duration(0)) return tell_newest();
  if (!is_timed_) start_timer(wait);
}

void StatusWriter::tell_newest() {
  if (fifo_ < 0) return;
  is_newer_ = false;
  [[maybe_unused]] const ssize_t told = write(fifo_, line_.data(), line_.size());
  pause_ends_ = Clock::now() + pause_;
}

void StatusWriter::start_timer(std::chrono::nanoseconds wait) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
  const itimerspec once{{}, {seconds.count(), (wait - seconds).count()}};
  is_timed_ = true;
  timer_settime(*timer_, 0, &once, nullptr);
}

}  // namespace lockstep
