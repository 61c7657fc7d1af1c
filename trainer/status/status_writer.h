// Tells the launcher how far this rank is, through the FIFO in LOCKSTEP_STATUS.
#pragma once

#include <signal.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "trainer/status/status.h"

namespace lockstep {

// Never blocks and never fails: a launcher that does not listen is no reason to end a training.
//
// A new phase is told at once. Steps are told at once too, but then not for a pause; if there were
// more by its end, SIGALRM tells the newest of them. So a rank that waits for another has always
// said which step it reached, and the one that lags is the one that is stuck. There is no thread
// that could speak for a loop that stands still.
//
// Each line says all that is known, so that the next one makes good a lost one.
// Threads: the one that made it, on which the signal arrives.
class StatusWriter {
 public:
  // Says "init". Without a path, or where that is no FIFO, it says nothing, ever.
  explicit StatusWriter(const std::optional<std::string>& path,
                        std::chrono::milliseconds pause = std::chrono::seconds(1));
  ~StatusWriter();
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  void enter(Phase phase);

  // Told with the next line.
  void plan(std::int64_t epochs, std::int64_t steps);
  void figures(const Figures& figures) { status_.figures = figures; }
  void checkpoint(std::int64_t step) { status_.checkpoint_step = step; }

  // `step` steps of the run are done, the last one in `epoch`. Enters the phase "step".
  void step(std::int64_t epoch, std::int64_t step);

 private:
  static void on_alarm(int, siginfo_t* info, void*);
  bool start_timer();
  void compose();
  void tell();
  void tell_newest();

  const std::chrono::milliseconds pause_;
  int fifo_ = -1;
  std::optional<timer_t> timer_;
  Status status_;
  std::string line_;                     // the handler's while is_newer_
  std::atomic<bool> is_newer_ = false;   // line_ has not been told
  std::atomic<bool> is_paused_ = false;  // the timer runs
};

}  // namespace lockstep
