// One kubectl for each node, begun when the node starts and again when its stream is cut.
#include "operator/plugin/logs_following.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <utility>

#include "operator/plugin/log_stream.h"

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr seconds kSoon{1};  // to the next look while somebody is waited for
constexpr seconds kSeldom{5};
constexpr seconds kLongestPause{30};    // while the cluster does not answer
constexpr int kMostTries = 5;           // in a row that bring nothing
constexpr std::size_t kMostNodes = 64;  // each costs a kubectl

bool will_pass(const Error& error) {
  return error.kind == Kind::kUnavailable || error.kind == Kind::kThrottled;
}

class Following {
 public:
  explicit Following(const Session& session) : session_(session), request_(session.line.logs) {}

  Result<int> run() {
    attach(TRY(first_look()));
    while (!is_over()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
      streams_.serve(
          std::max(left, std::chrono::milliseconds(0)),
          [this](const std::string& name, std::string_view bytes) { print(name, bytes); },
          [this](const std::string& name, int code) { ended(name, code); });
      if (Clock::now() >= next_look_) TRY(look());
    }
    if (has_given_up_) return failure(Kind::kUnavailable, "not all lines could be read");
    return kFine;
  }

 private:
  struct Node {
    LogStream lines;
    bool was_over = false;  // its trainer had ended before it was read
    bool is_read = false;   // to the end
    int tries = 0;          // in a row that brought nothing
  };

  // A job without anything to read, now or later, is an error of the user's.
  Result<LogLook> first_look() {
    LogLook seen = TRY(look_for_logs(session_, request_));
    attempt_ = seen.job.status.attempt;
    const bool is_final = request_.attempt || seen.job.status.is_finished();
    if (!seen.source && is_final) return tl::unexpected(seen.source.error());
    return seen;
  }

  Result<void> look() {
    const auto seen = look_for_logs(session_, request_);
    if (seen) {
      pause_ = kSoon;
      attach(*seen);
    } else if (will_pass(seen.error())) {
      if (pause_ == kSoon) say(seen.error().message + ": trying again");
      pause_ = std::min(2 * pause_, kLongestPause);
      next_look_ = Clock::now() + pause_;
    } else if (seen.error().kind == Kind::kNotFound) {
      say(seen.error().message);
      leave_at_the_end();
    } else {
      return tl::unexpected(seen.error());
    }
    return {};
  }

  // Nothing more will start.
  void leave_at_the_end() {
    is_last_ = true;
    open_.clear();
    next_look_ = Clock::now() + kSeldom;
  }

  void attach(const LogLook& seen) {
    note_attempt(seen.job.status.attempt);
    is_last_ = seen.job.status.is_finished() ||
               seen.job.status.attempt > request_.attempt.value_or(seen.job.status.attempt);
    open_.clear();
    if (seen.source) start_nodes(seen.job, *seen.source);
    const bool waits = !is_last_ && (!seen.source || !seen.source->waiting.empty());
    if (waits && !std::exchange(has_said_that_it_waits_, true)) say("waiting for nodes to start");
    const bool is_calm = streams_.count() == open_.size() && !waits;
    next_look_ = Clock::now() + (is_calm ? kSeldom : kSoon);
  }

  void note_attempt(int attempt) {
    if (attempt == attempt_) return;
    if (!request_.attempt) {
      say("attempt " + std::to_string(attempt_) + " is over, the next one follows");
    }
    attempt_ = attempt;
    request_.tail.reset();
    has_said_that_it_waits_ = false;
  }

  void start_nodes(const TrainingJob& job, const LogSource& source) {
    for (const int rank : source.nodes) {
      const std::string name = std::to_string(attempt_) + "/" + std::to_string(rank);
      Node& node = nodes_.try_emplace(name, Node{LogStream(source.prefix)}).first->second;
      if (node.is_read) continue;
      if (!streams_.runs(name) && streams_.count() >= kMostNodes) {
        if (!std::exchange(has_said_that_it_is_full_, true)) {
          say("more than " + std::to_string(kMostNodes) + " nodes: --node N follows one");
        }
        continue;
      }
      open_.push_back(name);
      if (streams_.runs(name)) continue;
      node.was_over = std::count(source.over.begin(), source.over.end(), rank) > 0;
      const auto arguments = follow_arguments(job, rank, source, request_, node.lines.since());
      if (!streams_.start(name, session_.kubectl.command(arguments))) ended(name, 127);
    }
  }

  void print(const std::string& name, std::string_view bytes) {
    Node& node = nodes_.at(name);
    node.tries = 0;
    std::cout << node.lines.take(bytes) << std::flush;
  }

  void ended(const std::string& name, int code) {
    Node& node = nodes_.at(name);
    next_look_ = std::min(next_look_, Clock::now() + kSoon);
    if (code == 0 && node.was_over) {
      std::cout << node.lines.end() << std::flush;
      node.is_read = true;
      return;
    }
    node.lines.begin_again();
    if (code == 0 || ++node.tries < kMostTries) return;
    node.is_read = has_given_up_ = true;
  }

  bool is_over() const {
    return is_last_ && streams_.count() == 0 &&
           std::all_of(open_.begin(), open_.end(),
                       [this](const std::string& name) { return nodes_.at(name).is_read; });
  }

  const Session& session_;
  LogRequest request_;
  Streams streams_;
  std::map<std::string, Node> nodes_;  // by attempt and rank
  std::vector<std::string> open_;      // not read to the end at the last look
  Clock::time_point next_look_{};
  seconds pause_ = kSoon;
  int attempt_ = 0;
  bool is_last_ = false;  // no other node will start
  bool has_given_up_ = false;
  bool has_said_that_it_waits_ = false;
  bool has_said_that_it_is_full_ = false;
};

}  // namespace

Result<int> follow_logs(const Session& session) { return Following(session).run(); }

}  // namespace lockstep
