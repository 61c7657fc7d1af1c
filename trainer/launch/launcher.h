// Runs the ranks of one node until all have ended, and leaves no process behind.
//
// One thread waits for signals, pipes and the next deadline:
//   running  -> stopping: a rank failed (SIGTERM to the others, peer_grace), a signal came from
//               outside (forwarded, grace), a rank stopped with its state saved (grace), all ranks
//               ended but processes they started are left (SIGTERM, peer_grace), or the ranks hang
//               (SIGABRT to the culprit, SIGTERM to the others, peer_grace)
//   stopping -> killed: the deadline passed or a second signal came (SIGKILL to everything)
// and from anywhere to the end when no child is left and all output is written.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "trainer/launch/environment.h"
#include "trainer/launch/log_files.h"
#include "trainer/launch/options.h"
#include "trainer/launch/root_cause.h"
#include "trainer/launch/status_service.h"

namespace lockstep {

struct LaunchSpec {
  struct Rank {
    int number;
    Environment environment;
  };
  std::vector<std::string> command;
  std::vector<Rank> ranks;  // at least one
  Seconds grace{25};
  Seconds peer_grace{1};
  Seconds hang_timeout{0};  // 0: never
  StatusSpec status;
  LogSpec log;
  std::string preface;  // said before anything else, unless it is empty
};

struct Outcome {
  Verdict verdict;
  std::deque<std::string> last_lines;  // of the culprit
  bool was_told_to_stop = false;       // from outside
  std::string progress = {};           // final_progress() of the node
};

// Takes over the process: blocks the signals it waits for, and leaves them so, adopts orphans,
// writes to descriptors 1 and 2. Call it from the main thread. Throws std::runtime_error when the
// system refuses.
Outcome launch(const LaunchSpec& spec);

}  // namespace lockstep
