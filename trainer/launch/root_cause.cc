// Classes of failure and their words; see root_cause.h.
#include "trainer/launch/root_cause.h"

#include <algorithm>
#include <csignal>
#include <cstring>

#include "trainer/contract.h"

namespace lockstep {
namespace {

enum class Class { kOwn, kPeerLost, kSentByUs };  // best evidence first

Class class_of(const Exit& exit) {
  if (exit.sent_by_us) return Class::kSentByUs;
  return exit.code == contract::kExitPeerLost ? Class::kPeerLost : Class::kOwn;
}

}  // namespace

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

bool is_failure(const Exit& exit) {
  return exit.code != contract::kExitFinished && exit.code != contract::kExitStopped;
}

Verdict judge(const std::vector<Exit>& exits) {
  Verdict verdict;
  if (exits.empty()) verdict.exit_code = contract::kExitStopped;
  for (const Exit& exit : exits) {
    if (!is_failure(exit)) {
      if (!verdict.culprit) verdict.exit_code = std::max(verdict.exit_code, exit.code);
    } else if (!verdict.culprit || class_of(exit) < class_of(*verdict.culprit)) {
      verdict = {exit.code, exit};
    }
  }
  return verdict;
}

std::string describe(const Exit& exit) {
  const std::string rank = "rank " + std::to_string(exit.rank);
  if (!exit.note.empty()) return rank + " " + exit.note;
  if (exit.signal == 0) return rank + " exited with code " + std::to_string(exit.code);
  std::string text = rank + " was killed by " + signal_name(exit.signal) + " (signal " +
                     std::to_string(exit.signal) + ")";
  if (exit.sent_by_us) return text + ", sent by the launcher";
  if (exit.signal == SIGKILL) text += ", by the kernel if memory ran out";
  return text;
}

}  // namespace lockstep
