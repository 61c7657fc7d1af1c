// Selectors for kubectl logs, and the sentences for logs that are not there.
#include "operator/plugin/logs.h"

#include <algorithm>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plugin/pods.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

using nlohmann::json;

// Whether the trainer is "running", "terminated" or "waiting".
bool is_in_state(const json& pod, const char* state) {
  for (const json& status : fields::list(fields::member(pod, "status"), "containerStatuses")) {
    const bool is_trainer = fields::text(status, "name") == names::kTrainerContainer;
    if (is_trainer && fields::member(status, "state").contains(state)) return true;
  }
  return false;
}

// The launcher writes each rank's lines into the checkpoint folder, where there is one.
tl::unexpected<Error> gone(const TrainingJob& job, int attempt) {
  std::string text = "the pods of attempt " + std::to_string(attempt) +
                     " are gone, and what kubectl could read with them. ";
  const auto& checkpoints = job.spec.checkpoints;
  if (!checkpoints) {
    return failure(Kind::kNotFound,
                   text +
                       "The job has no spec.checkpoints, so no copy was kept; `kubectl lockstep "
                       "describe` shows the last lines of the rank that failed");
  }
  const std::string folder = checkpoints->sub_path.empty() ? job.meta.name : checkpoints->sub_path;
  return failure(Kind::kNotFound,
                 text + "lockstep-launch keeps a copy in $CHECKPOINT_DIR/logs/attempt-" +
                     std::to_string(attempt) + ", which is " + folder + "/logs/attempt-" +
                     std::to_string(attempt) + " of the claim " + checkpoints->claim_name +
                     "; from a running node: " + checkpoints->path + "/logs/attempt-" +
                     std::to_string(attempt));
}

tl::unexpected<Error> no_pods(const TrainingJob& job, int attempt) {
  const JobStatus& status = job.status;
  if (attempt > status.attempt) {
    return failure(Kind::kNotFound, "there is no attempt " + std::to_string(attempt) +
                                        " yet: " + job.meta.name + " is at attempt " +
                                        std::to_string(status.attempt));
  }
  if (attempt < status.attempt || status.is_finished()) return gone(job, attempt);
  return failure(Kind::kNotFound, job.meta.name + " has no pods: it is " +
                                      std::string(phase_name(status.phase)) +
                                      "; `kubectl lockstep doctor` says why");
}

std::string numbered(const char* word, int number, const char* limit, int count) {
  return std::string("there is no ") + word + " " + std::to_string(number) + ": " + limit +
         " from 0 to " + std::to_string(count - 1);
}

// Only the pods that were asked for; for a rank the one that runs it.
Result<std::vector<json>> wanted_pods(const std::vector<json>& pods, const JobStatus& status,
                                      const LogRequest& request) {
  std::vector<json> wanted;
  for (const json& pod : pods) {
    const RankRange ranks = ranks_of(pod);
    const bool is_node = !request.node || node_rank(pod) == *request.node;
    const bool runs_rank = !request.rank || (*request.rank >= ranks.first &&
                                             *request.rank < ranks.first + ranks.count);
    if (is_node && runs_rank) wanted.push_back(pod);
  }
  if (!wanted.empty()) return wanted;
  if (request.node && *request.node >= status.nodes.desired) {
    return failure(Kind::kNotFound,
                   numbered("node", *request.node, "nodes count", status.nodes.desired));
  }
  if (request.rank && *request.rank >= status.world_size) {
    return failure(Kind::kNotFound,
                   numbered("rank", *request.rank, "ranks count", status.world_size));
  }
  if (request.rank && request.node) {
    return failure(Kind::kNotFound, "rank " + std::to_string(*request.rank) +
                                        " does not run on node " + std::to_string(*request.node));
  }
  return failure(Kind::kNotFound, "that node has no pod now");
}

// "lockstep.dev/job-uid=1-2,lockstep.dev/attempt=3,lockstep.dev/node-rank in (0,1)"
std::string selector(const TrainingJob& job, int attempt, const std::vector<int>& nodes) {
  std::string list;
  for (const int node : nodes) list += (list.empty() ? "" : ",") + std::to_string(node);
  return std::string(names::kJobUid) + "=" + job.meta.uid + "," + names::kAttempt + "=" +
         std::to_string(attempt) + "," + names::kNodeRank + " in (" + list + ")";
}

}  // namespace

Result<LogSource> choose_source(const TrainingJob& job, const std::vector<json>& pods,
                                const LogRequest& request) {
  const int attempt = request.attempt.value_or(job.status.attempt);
  const std::vector<json> current = of_attempt(pods, job.meta, attempt);
  if (current.empty()) return no_pods(job, attempt);
  LogSource source;
  for (const json& pod : TRY(wanted_pods(current, job.status, request))) {
    const bool is_over = is_in_state(pod, "terminated");
    const bool has_started = is_over || is_in_state(pod, "running");
    (has_started ? source.nodes : source.waiting).push_back(node_rank(pod));
    if (is_over) source.over.push_back(node_rank(pod));
    // A node of one process writes for that rank alone, whatever started it.
    if (request.rank && ranks_of(pod).count > 1) {
      source.prefix = "[rank " + std::to_string(*request.rank) + "] ";
    }
  }
  source.selector = selector(job, attempt, source.nodes);
  return source;
}

std::vector<std::string> logs_arguments(const TrainingJob& job, const LogSource& source,
                                        const LogRequest& request) {
  std::vector<std::string> arguments = {"logs",
                                        "--namespace=" + job.meta.namespace_,
                                        "--selector=" + source.selector,
                                        std::string("--container=") + names::kTrainerContainer,
                                        "--max-log-requests=" + std::to_string(source.nodes.size()),
                                        "--ignore-errors"};
  // Lines of one rank are counted after they are picked.
  const bool counts_here = source.prefix.empty() && request.tail;
  arguments.push_back("--tail=" + std::to_string(counts_here ? *request.tail : -1));
  return arguments;
}

std::vector<std::string> follow_arguments(const TrainingJob& job, int node, const LogSource& source,
                                          const LogRequest& request,
                                          const std::optional<std::string>& since) {
  std::vector<std::string> arguments = {"logs",
                                        job.meta.name + "-" + std::to_string(node),
                                        "--namespace=" + job.meta.namespace_,
                                        std::string("--container=") + names::kTrainerContainer,
                                        "--follow",
                                        "--timestamps"};
  if (since) {
    arguments.push_back("--since-time=" + *since);
  } else if (source.prefix.empty() && request.tail) {
    arguments.push_back("--tail=" + std::to_string(*request.tail));
  }
  return arguments;
}

void LinePicker::add(std::string_view line, std::string& now) {
  if (!line.starts_with(prefix_)) return;
  if (!tail_) {
    now += line;
    return;
  }
  last_.emplace_back(line);
  if (last_.size() > static_cast<std::size_t>(*tail_)) last_.erase(last_.begin());
}

std::string LinePicker::take(std::string_view bytes) {
  std::string now;
  for (std::size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
    part_ += bytes.substr(0, end + 1);
    add(part_, now);
    part_.clear();
    bytes.remove_prefix(end + 1);
  }
  part_ += bytes;
  return now;
}

std::string LinePicker::end() {
  std::string now;
  if (!part_.empty()) add(part_ + "\n", now);
  part_.clear();
  for (const std::string& line : last_) now += line;
  last_.clear();
  return now;
}

}  // namespace lockstep
