// kubectl lockstep logs: one kubectl reads all nodes; a job that restarts is followed.
#include <iostream>
#include <thread>

#include "operator/plugin/commands.h"
#include "operator/plugin/logs.h"

namespace lockstep {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPoll{1};
constexpr std::chrono::seconds kStartPatience{10};  // for nodes that start after the first
constexpr std::chrono::seconds kRestartPatience{
    15};  // for the operator to see that an attempt ended

struct Look {
  TrainingJob job;
  Result<LogSource> source;
};

Result<Look> look(const Session& session, const LogRequest& request) {
  TrainingJob job = TRY(parse_training_job(TRY(read_job(session))));
  const json pods = TRY(session.kubectl.get(pods_question(job.meta.namespace_, job.meta.name)));
  Result<LogSource> source = choose_source(job, items(pods), request);
  return Look{std::move(job), std::move(source)};
}

// Standard error: the lines on standard output are the job's own.
void say(const std::string& sentence) { std::cerr << "kubectl lockstep: " << sentence << "\n"; }

std::string nodes_text(const std::vector<int>& nodes) {
  std::string text = nodes.size() == 1 ? "node" : "nodes";
  for (const int node : nodes) text += " " + std::to_string(node);
  return text;
}

bool is_worth_waiting(const Look& seen) {
  if (seen.job.status.is_finished()) return false;
  return !seen.source || !seen.source->waiting.empty();
}

// Until all nodes have started, or those that have were waited for long enough.
Result<Look> wait_for_nodes(const Session& session, const LogRequest& request) {
  Look seen = TRY(look(session, request));
  const auto deadline = Clock::now() + kStartPatience;
  const bool is_fixed = request.attempt.has_value();
  if (is_worth_waiting(seen) && !is_fixed) say("waiting for the nodes to start");
  while (is_worth_waiting(seen) && !is_fixed) {
    const bool has_some = seen.source && !seen.source->nodes.empty();
    if (has_some && Clock::now() > deadline) break;
    std::this_thread::sleep_for(kPoll);
    seen = TRY(look(session, request));
  }
  return seen;
}

Result<void> print(const Session& session, const Look& seen, const LogRequest& request) {
  const LogSource source = TRY(Result<LogSource>(seen.source));
  if (!source.waiting.empty()) say(nodes_text(source.waiting) + " have not started yet");
  if (source.nodes.empty()) return {};
  const auto tail = source.prefix.empty() ? std::nullopt : request.tail;
  LinePicker picker(source.prefix, request.follows ? std::nullopt : tail);
  const int code =
      stream(session.kubectl.command(logs_arguments(seen.job, source, request)),
             [&](std::string_view bytes) { std::cout << picker.take(bytes) << std::flush; });
  std::cout << picker.end() << std::flush;
  if (code == 0) return {};
  return failure(Kind::kUnavailable, "kubectl logs ended with " + std::to_string(code));
}

// The attempt that comes after one whose nodes ended; none when the job ended with it.
Result<bool> has_restarted(const Session& session, const LogRequest& request, int attempt) {
  const auto deadline = Clock::now() + kRestartPatience;
  while (true) {
    const Look seen = TRY(look(session, request));
    if (seen.job.status.attempt > attempt) return true;
    if (seen.job.status.is_finished() || Clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
}

}  // namespace

Result<int> logs(const Session& session) {
  LogRequest request = session.line.logs;
  if (!request.follows) {
    TRY(print(session, TRY(look(session, request)), request));
    return kFine;
  }
  while (true) {
    const Look seen = TRY(wait_for_nodes(session, request));
    TRY(print(session, seen, request));
    const int attempt = seen.job.status.attempt;
    if (request.attempt || !TRY(has_restarted(session, request, attempt))) return kFine;
    say("attempt " + std::to_string(attempt) + " is over, the next one follows");
    request.tail.reset();
  }
}

}  // namespace lockstep
