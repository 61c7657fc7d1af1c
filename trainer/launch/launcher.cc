// The event loop of lockstep-launch; see launcher.h for its states.
#include "trainer/launch/launcher.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "trainer/launch/gang.h"
#include "trainer/launch/hang_watch.h"
#include "trainer/launch/output.h"
#include "trainer/launch/process_tree.h"
#include "trainer/launch/signals.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

// A process that SIGKILL does not end hangs in a driver; output nobody reads has no reader.
constexpr Seconds kPatience{5};
constexpr std::chrono::seconds kLogPatience{2};
constexpr Seconds kSameRequest{1};  // wrappers and terminals may signal twice for one stop

std::string text_of(Seconds seconds) {
  std::ostringstream text;
  text << seconds.count() << " s";
  return text.str();
}

class Launcher {
 public:
  explicit Launcher(const LaunchSpec& spec) : spec_(spec) {}

  Outcome run() {
    adopt_orphans();
    if (!spec_.preface.empty()) say(spec_.preface);
    open_status();
    open_logs();
    start_workers();
    reap();
    while (!is_finished()) {
      wait();
      read_signals();
      if (std::exchange(must_reap_, false)) reap();
      read_streams();
      status_->serve(Clock::now());
      if (logs_) tell_log_fault(logs_->take_fault());
      pump();
      if (Clock::now() >= hang_deadline() && hang_watch_->look(Clock::now())) end_hang();
      if (Clock::now() >= deadline_) escalate();
    }
    hang_watch_.reset();
    status_->serve(Clock::now());
    const NodeStatus last = status_->node_status(Clock::now());
    status_.reset();  // nobody may ask any more
    if (logs_) tell_log_fault(logs_->finish(kLogPatience));
    Outcome outcome = conclude(last);
    flush();
    return outcome;
  }

 private:
  enum class Stage { kRunning, kStopping, kKilled, kAbandoned };

  void open_status() {
    std::vector<int> ranks;
    for (const LaunchSpec::Rank& rank : spec_.ranks) ranks.push_back(rank.number);
    const auto say_it = [this](const std::string& text) { say(text); };
    status_.emplace(spec_.status, ranks, say_it);
    hang_watch_.emplace(spec_.hang_timeout, *status_, gang_, say_it);
  }

  void open_logs() {
    if (spec_.log.directory.empty()) return;
    std::vector<int> ranks;
    for (const LaunchSpec::Rank& rank : spec_.ranks) ranks.push_back(rank.number);
    try {
      logs_.emplace(spec_.log, ranks);
    } catch (const std::system_error& error) {
      say(std::string("no log files: ") + error.what());
    }
  }

  // Once: after a fault there are no log files.
  void tell_log_fault(const std::string& fault) {
    if (fault.empty()) return;
    say(fault);
    logs_.reset();
  }

  // One that is told to stop starts no more.
  void start_workers() {
    for (const LaunchSpec::Rank& rank : spec_.ranks) {
      read_signals();
      if (stage_ != Stage::kRunning) return;
      Environment environment = rank.environment;
      status_->equip(rank.number, environment);
      try {
        const Worker& worker = gang_.start(rank.number, spec_.command, environment);
        status_->rank_started(rank.number, worker.pid());
      } catch (const SpawnError& error) {
        record({rank.number, error.code, 0, now_ms(), false, error.what()});
        return;
      }
    }
  }

  bool is_finished() const {
    if (stage_ == Stage::kAbandoned) return true;
    return is_childless_ && output_.waiting_for() < 0 && !gang_.has_open_stream();
  }

  // Sleeps until a signal, a line, room for output, a client or a deadline.
  void wait() {
    std::vector<pollfd> sources = {{signals_.fd(), POLLIN, 0}};
    if (const int fd = output_.waiting_for(); fd >= 0) sources.push_back({fd, POLLOUT, 0});
    if (!output_.is_full()) gang_.watch(sources);
    if (status_) status_->watch(sources);
    const auto deadline =
        status_ ? std::min({deadline_, status_->deadline(), hang_deadline()}) : deadline_;
    int timeout = -1;
    if (deadline != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      timeout = static_cast<int>(std::max<std::int64_t>(0, left.count()));
    }
    poll(sources.data(), sources.size(), timeout);
  }

  void read_signals() {
    while (const auto number = signals_.next()) {
      if (*number == SIGCHLD) {
        must_reap_ = true;
      } else {
        on_outside_signal(*number);
      }
    }
  }

  void read_streams() {
    const auto on_line = [this](int rank, int target, std::string_view prefix,
                                std::string_view line) {
      output_.write_line(target, prefix, line);
      if (logs_) logs_->write_line(rank, line);
    };
    gang_.read(on_line, [this] { return !output_.is_full(); });
  }

  // Collects whoever has ended: ranks, and orphans that were left to us.
  void reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
      if (const auto exit = gang_.ended(pid, status)) record(*exit);
    }
    if (pid < 0 && errno == ECHILD) {
      if (!is_childless_) wait_for_reader();
      is_childless_ = true;
    } else if (stage_ == Stage::kKilled) {
      signal_all(SIGKILL);  // what was below the dead is our child now
    } else if (!gang_.is_running() && !is_swept_) {
      sweep();
    }
  }

  void record(const Exit& exit) {
    const bool is_hanging = stage_ == Stage::kRunning && hang_watch_->is_suspected();
    if (is_hanging && is_failure(exit)) end_hang();  // which comes of the hang, so not before it
    exits_.push_back(exit);
    status_->rank_ended(exit.rank);
    if (stage_ != Stage::kRunning || !gang_.is_running()) return;
    if (is_failure(exit)) {
      stop(describe(exit) + ": stopping the other ranks", spec_.peer_grace);
      gang_.signal(SIGTERM);
    } else if (exit.code != 0) {
      stop(describe(exit) + ", its state saved: the others have " + text_of(spec_.grace),
           spec_.grace);
    }
  }

  Clock::time_point hang_deadline() const {
    return stage_ == Stage::kRunning ? hang_watch_->deadline() : Clock::time_point::max();
  }

  // A stopped process takes no signal but one.
  void end_hang() {
    const Exit verdict = hang_watch_->verdict();
    exits_.push_back(verdict);
    stop(describe(verdict) + ": stopping all ranks", spec_.peer_grace);
    for (const auto& worker : gang_.workers()) {
      const bool is_culprit = worker->rank() == verdict.rank;
      worker->signal(!is_culprit ? SIGTERM : verdict.hang->is_stopped ? SIGKILL : SIGABRT);
    }
  }

  // A closed terminal (SIGHUP) loses no state: the ranks get what they save at. Twice: at once.
  void on_outside_signal(int number) {
    if (stage_ == Stage::kKilled) return;
    const auto now = Clock::now();
    if (was_told_to_stop_ && now - told_to_stop_at_ < kSameRequest) return;
    told_to_stop_at_ = now;
    if (std::exchange(was_told_to_stop_, true)) {
      say("stopped again: killing all ranks");
      kill_all();
      return;
    }
    if (stage_ == Stage::kRunning) {
      stop(signal_name(number) + ": the ranks have " + text_of(spec_.grace) + " to stop",
           spec_.grace);
    }
    gang_.signal(number == SIGINT ? SIGINT : SIGTERM);
  }

  // All ranks have ended; processes they started and left are asked to end too.
  void sweep() {
    is_swept_ = true;
    stage_ = Stage::kStopping;
    deadline_ = std::min(deadline_, Clock::now() + ticks(spec_.peer_grace));
    for (const pid_t pid : descendants(getpid())) kill(pid, SIGTERM);
  }

  void escalate() {
    if (is_childless_ || stage_ == Stage::kKilled) {
      stage_ = Stage::kAbandoned;
      return;
    }
    for (const auto& worker : gang_.workers()) {
      if (worker->is_running()) {
        say("rank " + std::to_string(worker->rank()) + " did not stop in time: killing it");
      }
    }
    kill_all();
  }

  void kill_all() {
    stage_ = Stage::kKilled;
    set_deadline(kPatience);
    gang_.signal(SIGKILL);
    signal_all(SIGKILL);
  }

  void stop(const std::string& why, Seconds grace) {
    say(why);
    stage_ = Stage::kStopping;
    set_deadline(grace);
  }

  static void signal_all(int number) {
    for (const pid_t pid : descendants(getpid())) kill(pid, number);
  }

  static Clock::duration ticks(Seconds seconds) {
    return std::chrono::duration_cast<Clock::duration>(seconds);
  }

  void set_deadline(Seconds from_now) { deadline_ = Clock::now() + ticks(from_now); }

  void say(const std::string& text) { output_.write_line(STDERR_FILENO, "[launch] ", text); }

  Outcome conclude(const NodeStatus& last) {
    for (const auto& worker : gang_.workers()) {
      if (!worker->is_running()) continue;
      exits_.push_back({worker->rank(), 128 + SIGKILL, SIGKILL, now_ms(), true,
                        "did not end even after SIGKILL"});
    }
    Outcome outcome{judge(exits_), {}, was_told_to_stop_, final_progress(last)};
    // Many programs exit with 0 when they are told to stop. That is no success.
    const bool was_cut_short = was_told_to_stop_ && !is_done(last);
    int& code = outcome.verdict.exit_code;
    if (was_cut_short && code == contract::kExitFinished) code = contract::kExitStopped;
    if (!outcome.verdict.culprit) return outcome;
    const Exit& culprit = *outcome.verdict.culprit;
    if (const Worker* worker = gang_.find(culprit.rank)) {
      outcome.last_lines = worker->recent().lines();
    }
    std::string sentence = "failed: " + describe(culprit);
    if (logs_) {
      const std::string path = log_path(spec_.log.directory, culprit.rank);
      sentence += "; what it wrote: " + path;
    }
    say(sentence);
    return outcome;
  }

  // At the end a slow reader is waited for as long as it reads.
  void pump() {
    const bool has_written = output_.pump();
    if (has_written && is_childless_) wait_for_reader();
  }

  void wait_for_reader() {
    set_deadline(was_told_to_stop_ ? kPatience : std::max(kPatience, spec_.grace));
  }

  void flush() {
    for (pump(); output_.waiting_for() >= 0 && Clock::now() < deadline_; pump()) wait();
  }

  const LaunchSpec& spec_;
  Signals signals_;
  Output output_;
  Gang gang_;
  std::optional<StatusService> status_;  // until all ranks have ended
  std::optional<HangWatch> hang_watch_;  // as long
  std::optional<LogFiles> logs_;
  std::vector<Exit> exits_;
  Stage stage_ = Stage::kRunning;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool was_told_to_stop_ = false;
  Clock::time_point told_to_stop_at_;
  bool must_reap_ = false;
  bool is_swept_ = false;
  bool is_childless_ = false;
};

}  // namespace

Outcome launch(const LaunchSpec& spec) { return Launcher(spec).run(); }

}  // namespace lockstep
