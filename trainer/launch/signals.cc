// signalfd(2); see signals.h.
#include "trainer/launch/signals.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace lockstep {
namespace {

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t answered() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (const int number : kStopSignals) {
    if (number == SIGTERM || !is_ignored(number)) sigaddset(&set, number);
  }
  return set;
}

}  // namespace

void hold_signals() {
  signal(SIGCHLD, SIG_DFL);  // ignored, it would reap our children before we can ask how they ended
  signal(SIGPIPE, SIG_IGN);
  const sigset_t set = answered();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

Signals::Signals() {
  hold_signals();
  const sigset_t set = answered();
  fd_ = Fd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_.is_open()) throw std::system_error(errno, std::generic_category(), "signalfd");
}

std::optional<int> Signals::next() {
  signalfd_siginfo info;
  if (read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace lockstep
