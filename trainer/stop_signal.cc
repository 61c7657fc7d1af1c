// The two signal handlers, each of them one async-signal-safe act.
#include "trainer/stop_signal.h"

#include <signal.h>
#include <unistd.h>

#include "trainer/contract.h"

namespace lockstep {
namespace {

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void end_process(int) { _exit(contract::kExitStopped); }
extern "C" void set_flag(int) { stop_requested = true; }

void handle_with(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

void end_on_stop_signal() { handle_with(end_process); }

const std::atomic<bool>& note_stop_signal() {
  handle_with(set_flag);
  return stop_requested;
}

}  // namespace lockstep
