// kubectl lockstep logs: one kubectl reads all nodes, unless they are followed.
#include <iostream>

#include "operator/plugin/commands.h"
#include "operator/plugin/logs.h"
#include "operator/plugin/logs_following.h"

namespace lockstep {
namespace {

using nlohmann::json;

std::string nodes_text(const std::vector<int>& nodes) {
  std::string text = nodes.size() == 1 ? "node" : "nodes";
  for (const int node : nodes) text += " " + std::to_string(node);
  return text;
}

Result<void> print(const Session& session, const LogLook& seen, const LogRequest& request) {
  const LogSource source = TRY(Result<LogSource>(seen.source));
  if (!source.waiting.empty()) say(nodes_text(source.waiting) + " have not started yet");
  if (source.nodes.empty()) return {};
  LinePicker picker(source.prefix, source.prefix.empty() ? std::nullopt : request.tail);
  const int code =
      stream(session.kubectl.command(logs_arguments(seen.job, source, request)),
             [&](std::string_view bytes) { std::cout << picker.take(bytes) << std::flush; });
  std::cout << picker.end() << std::flush;
  if (code == 0) return {};
  return failure(Kind::kUnavailable, "kubectl logs ended with " + std::to_string(code));
}

}  // namespace

void say(const std::string& sentence) { std::cerr << "kubectl lockstep: " << sentence << "\n"; }

Result<LogLook> look_for_logs(const Session& session, const LogRequest& request) {
  TrainingJob job = TRY(parse_training_job(TRY(read_job(session))));
  const json pods = TRY(session.kubectl.get(pods_question(job.meta.namespace_, job.meta.name)));
  Result<LogSource> source = choose_source(job, items(pods), request);
  return LogLook{std::move(job), std::move(source)};
}

Result<int> logs(const Session& session) {
  const LogRequest& request = session.line.logs;
  if (request.follows) return follow_logs(session);
  TRY(print(session, TRY(look_for_logs(session, request)), request));
  return kFine;
}

}  // namespace lockstep
