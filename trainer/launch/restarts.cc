// Attempts in a row; see restarts.h.
#include "trainer/launch/restarts.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <iostream>

#include "trainer/contract.h"
#include "trainer/launch/signals.h"

namespace lockstep {
namespace {

// Signals that came between two attempts are still pending: launch() has left them blocked.
bool is_told_to_stop_within(Seconds pause) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kStopSignals) sigaddset(&set, number);
  const auto whole = static_cast<time_t>(pause.count());
  const timespec timeout = {whole, static_cast<long>((pause.count() - whole) * 1e9)};
  return sigtimedwait(&set, nullptr, &timeout) > 0;
}

// Without it, nothing would tell a launcher that pauses from one that hangs.
void announce(int restart, int most, Seconds pause) {
  if (pause.count() == 0) return;
  std::cerr << "[launch] restart " << restart << " of " << most << " follows in " << pause.count()
            << " s" << std::endl;
}

}  // namespace

bool is_worth_another_attempt(const Outcome& outcome) {
  constexpr int kFinal[] = {contract::kExitUsage, contract::kExitBadData, contract::kExitDiverged,
                            126, 127};  // the last two: no such program
  return outcome.verdict.culprit && !outcome.was_told_to_stop &&
         std::count(std::begin(kFinal), std::end(kFinal), outcome.verdict.exit_code) == 0;
}

Outcome launch_repeatedly(const std::function<LaunchSpec(int restart)>& spec_of, int most,
                          Seconds pause) {
  Outcome outcome = launch(spec_of(0));
  for (int restart = 1; restart <= most; ++restart) {
    if (!is_worth_another_attempt(outcome)) break;
    announce(restart, most, pause);
    if (is_told_to_stop_within(pause)) break;
    outcome = launch(spec_of(restart));
  }
  return outcome;
}

}  // namespace lockstep
