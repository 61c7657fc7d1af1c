// kubectl lockstep restart: suspends, waits until the operator has taken the attempt back, resumes.
// Deleting a pod would do it too, but counts as a disruption and loses what the trainer would save.
#include <signal.h>

#include <functional>
#include <iostream>
#include <thread>

#include "operator/plugin/commands.h"
#include "operator/plugin/suspension.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPoll{500};

volatile sig_atomic_t interrupted_by = 0;

// From here on an interrupt ends the waiting, and the state that is left can be told.
void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { interrupted_by = signal; };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

Result<TrainingJob> read(const Session& session) {
  return parse_training_job(TRY(read_job(session)));
}

// Says what a step has come to, whenever that changes.
class Teller {
 public:
  void operator()(const std::string& sentence) {
    if (sentence != last_) std::cout << sentence << std::endl;
    last_ = sentence;
  }

 private:
  std::string last_;
};

enum class Waited { kDone, kTooLong, kInterrupted };

// An answer that does not come is asked for again; a job that is gone never comes back.
Result<Waited> wait(const Session& session,
                    const std::function<bool(const TrainingJob&)>& is_done) {
  const auto deadline = Clock::now() + std::chrono::seconds(session.line.timeout);
  while (interrupted_by == 0) {
    const Result<TrainingJob> job = read(session);
    if (interrupted_by != 0) break;
    if (job && is_done(*job)) return Waited::kDone;
    if (!job && job.error().kind == Kind::kNotFound) return tl::unexpected(job.error());
    if (Clock::now() > deadline) return Waited::kTooLong;
    std::this_thread::sleep_for(kPoll);
  }
  return Waited::kInterrupted;
}

// Says what is left: the truth is what the cluster says now, not what was last asked for.
int break_off(const Session& session, const std::string& why) {
  const int signal = interrupted_by;
  const Result<TrainingJob> job = read(session);
  std::cerr << (signal != 0 ? "interrupted" : why) << ": "
            << (job ? what_is_left(*job)
                    : "the state that is left could not be read: " + job.error().message)
            << std::endl;
  return signal != 0 ? 128 + signal : kFault;
}

}  // namespace

Result<int> restart(const Session& session) {
  const TrainingJob job = TRY(read(session));
  const Change change = TRY(restart_of(job));
  catch_interrupts();
  Teller tell;
  tell(change.sentence);
  const auto suspended = set_suspend(session, job.meta, true);
  if (!suspended && interrupted_by == 0) return tl::unexpected(suspended.error());
  const Waited stopped = TRY(wait(session, is_stopped));
  if (stopped != Waited::kDone) return break_off(session, "it takes too long");
  tell("suspended, now resuming");
  const auto resumed = set_suspend(session, job.meta, false);
  if (!resumed) return break_off(session, resumed.error().message);
  Step step;
  const Waited started = TRY(wait(session, [&](const TrainingJob& seen) {
    step = after_resumption(seen);
    tell(step.sentence);
    return step.is_over;
  }));
  if (started != Waited::kDone) return break_off(session, "it takes too long");
  return step.is_good ? kFine : kFault;
}

}  // namespace lockstep
