// The signals the launcher answers, as messages on a descriptor for its poll loop.
#pragma once

#include <csignal>
#include <optional>

#include "trainer/launch/fd.h"

namespace lockstep {

// Those that ask the node to stop.
inline constexpr int kStopSignals[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};

// From here on SIGCHLD and kStopSignals wait until Signals hands them out. The first act of the
// program: as process 1 it would lose what comes before, for Linux drops a signal that process 1
// does not expect. SIGHUP, SIGINT and SIGQUIT stay ignored where the parent had them ignored, as
// nohup and shells do for what shall go on without them.
void hold_signals();

class Signals {
 public:
  Signals();  // holds them, too; throws std::system_error

  int fd() const { return fd_.get(); }

  // The next one that has come.
  std::optional<int> next();

 private:
  Fd fd_;
};

}  // namespace lockstep
