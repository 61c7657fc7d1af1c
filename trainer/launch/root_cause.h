// Which of several failed ranks was the first to fail for a reason of its own. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainer/launch/hang.h"

namespace lockstep {

// How one rank ended.
struct Exit {
  int rank = 0;
  int code = 0;              // as a shell reports it: 128 + signal after a signal
  int signal = 0;            // 0: it exited by itself
  std::int64_t time_ms = 0;  // since the epoch
  bool sent_by_us = false;   // by a signal that the launcher had sent it before
  std::string note{};        // says more than the code, such as why it could not be started
  std::optional<Hang> hang{};
};

struct Verdict {
  int exit_code = 0;            // of the launcher
  std::optional<Exit> culprit;  // none: nothing failed
};

// `exits` in the order in which they were seen. The culprit is the earliest failure of the best
// class: a failure of its own, then a lost peer (75), then death by our signal; so what follows
// from a failure never hides it. Without a failure the code is 80 if any rank stopped with its
// state saved, or if none was started because a stop came first; else 0.
Verdict judge(const std::vector<Exit>& exits);

// Whether a rank that ended so makes the other ranks useless.
bool is_failure(const Exit& exit);

// "rank 3 was killed by SIGKILL (signal 9): often the kernel, out of memory"
std::string describe(const Exit& exit);

// "SIGTERM"
std::string signal_name(int signal);

}  // namespace lockstep
