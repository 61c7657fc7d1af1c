// Asks the launchers of running jobs how far they are.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "operator/api/core.h"
#include "operator/api/training_job.h"
#include "operator/base/clock.h"
#include "operator/runtime/poll_schedule.h"
#include "operator/runtime/report_board.h"
#include "operator/writes.h"
#include "trainer/contract.h"

namespace lockstep {

// Whom to ask about a job.
struct PollTarget {
  ObjectKey job;
  std::string uid = {};
  int attempt = 0;
  std::optional<int> stall_timeout_seconds;
  std::vector<std::string> ips;  // by node rank; empty where there is none yet
};

// nullopt for a job that does not run: there is nobody to ask.
std::optional<PollTarget> poll_target(const TrainingJob& job, const std::vector<Pod>& pods);

// A job whose nodes are being asked.
struct Survey {
  PollTarget target;
  Reports reports;
  std::size_t asked = 0;  // the nodes of lower rank
  std::size_t until = 1;  // the first node alone, at first
};

// Asks the first node of each running job at `interval`; its other nodes when that one tells
// nothing, or of no progress for the stall timeout. Each round, of a second at most, is shared
// fairly between the jobs: one of many nodes that do not answer takes more rounds, and delays no
// other. What they say goes to the board, and `wake` is called: at once when it may be a stall,
// else within a budget, since it ends in a write. Runs until destroyed, on a thread of its own;
// caches, board and clock outlive it.
class ProgressPoller {
 public:
  using Wake = std::function<void(const ObjectKey& job)>;

  ProgressPoller(const Caches& caches, ReportBoard& board, Wake wake, const Clock& clock,
                 std::chrono::milliseconds interval, int port = contract::kProgressPort);

 private:
  void run(const std::stop_token& stop);
  void begin_surveys();
  void ask();
  void end_surveys();
  void take(const PollTarget& target, Reports reports);

  const Caches caches_;
  ReportBoard& board_;
  const Wake wake_;
  const Clock& clock_;
  const int port_;
  PollSchedule schedule_;
  WakeBudget budget_;
  std::list<Survey> surveys_;  // those that wait longest first
  std::jthread thread_;        // last: it ends before what it uses
};

}  // namespace lockstep
