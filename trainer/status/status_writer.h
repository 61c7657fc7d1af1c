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
// more, SIGALRM tells the newest of them at its end. So a rank that waits for another has always
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
  ~StatusWriter();  // tells what is left to tell, such as the checkpoint of a run that was stopped
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  void enter(Phase phase);

  // The phase takes long and gets further.
  void go_on() { tell_after_pause(); }

  // Told after the pause, or with a new phase.
  void plan(std::int64_t epochs, std::int64_t steps);
  void figures(const Figures& figures);
  void checkpoint(std::int64_t step);

  // `step` steps of the run are done, the last one in `epoch`. Enters the phase "step".
  void step(std::int64_t epoch, std::int64_t step);

 private:
  using Clock = std::chrono::steady_clock;
  static void on_alarm(int, siginfo_t* info, void*);
  bool make_timer();
  void start_timer(std::chrono::nanoseconds wait);
  void compose();
  void tell();
  void tell_after_pause();
  void tell_newest();

  const std::chrono::milliseconds pause_;
  int fifo_ = -1;
  std::optional<timer_t> timer_;
  Status status_;
  std::string line_;                    // the handler's while is_newer_
  std::atomic<bool> is_newer_ = false;  // line_ has not been told
  std::atomic<bool> is_timed_ = false;  // the timer runs
  std::atomic<Clock::time_point> pause_ends_{};
};

}  // namespace lockstep
