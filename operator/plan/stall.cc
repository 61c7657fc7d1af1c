// Finds a stall and the rank to blame.
#include "operator/plan/stall.h"

#include <algorithm>

#include "operator/api/names.h"
#include "operator/plan/conditions.h"
#include "operator/plan/ownership.h"
#include "operator/plan/progress.h"

namespace lockstep {
namespace {

constexpr std::chrono::minutes kFirstReport{1};

// One that does not answer at all before every other; then the one whose rank the others wait for.
// A node that is done holds nobody up.
int culprit(const Reports& reports, const Nodes& nodes) {
  int found = -1;
  const NodeReport::Rank* behind = nullptr;
  for (const auto& [rank, report] : reports.nodes) {
    if (has_succeeded(*nodes.current[rank])) continue;
    if (!report) return rank;
    if (found < 0) found = rank;
    if (!report->slowest || (behind && !is_behind(*report->slowest, *behind))) continue;
    behind = &*report->slowest;
    found = rank;
  }
  return std::max(found, 0);
}

std::string describe(const NodeReport::Rank& rank) {
  const auto seconds = static_cast<long long>(rank.silent_seconds);
  std::string text = "rank " + std::to_string(rank.rank) + " has told of no progress for " +
                     std::to_string(seconds) + " s";
  if (!rank.phase.empty()) text += ", last in phase " + rank.phase;
  if (rank.step) text += " at step " + std::to_string(*rank.step);
  return rank.is_stopped ? text + ": its process is stopped" : text;
}

// A program that has just started has had no time to say anything.
bool is_starting(const TrainingJob& job, Time now) {
  const Condition* running = job.status.condition(names::kRunning);
  return running && now - running->last_transition < kFirstReport;
}

// With the pods of the attempt that stood still it is over.
void forget_stall(JobStatus& status, const Nodes& nodes, Time now) {
  if (!status.is(names::kStalled) || !nodes.earlier.empty()) return;
  set_condition(status, names::kStalled, false, names::kStartedAnew,
                "the attempt that stood still has ended", now);
}

}  // namespace

std::optional<double> silent_seconds(const Reports& reports) {
  std::optional<double> least;
  for (const auto& [rank, report] : reports.nodes) {
    if (!report || !report->silent_seconds) continue;
    least = std::min(least.value_or(*report->silent_seconds), *report->silent_seconds);
  }
  return least;
}

std::optional<Loss> stall_of(const Observed& seen, const Nodes& nodes) {
  const std::optional<int> timeout = seen.job.spec.run_policy.stall_timeout_seconds;
  const Reports* reports = current_reports(seen);
  if (!timeout || !reports) return std::nullopt;
  const bool all_were_asked =
      static_cast<int>(reports->nodes.size()) == seen.job.spec.num_nodes && nodes.all_exist();
  if (!all_were_asked || silent_seconds(*reports).value_or(0) < *timeout) return std::nullopt;
  const int node = culprit(*reports, nodes);
  const std::optional<NodeReport>& report = reports->nodes.at(node);
  LastFailure where;
  where.attempt = reports->attempt;
  where.node_rank = node;
  where.pod = pod_name(seen.job, node);
  where.node = nodes.current[node]->node_name;
  where.reason = names::kStalled;
  where.message = "the node does not answer, and the others wait";
  if (report && report->slowest) {
    where.rank = report->slowest->rank;
    where.message = describe(*report->slowest);
  }
  return Loss{.kind = LossKind::kFailure, .evidence = std::move(where), .died = {}};
}

void observe_stall(JobStatus& status, const Observed& seen, const Nodes& nodes, Time now) {
  const std::optional<int> timeout = seen.job.spec.run_policy.stall_timeout_seconds;
  if (!timeout) return drop_condition(status, names::kStalled);
  const Reports* reports = current_reports(seen);
  if (!reports) return forget_stall(status, nodes, now);
  if (const auto stall = stall_of(seen, nodes)) {
    set_condition(status, names::kStalled, true, names::kNoProgress, stall->evidence.message, now);
  } else if (const auto silent = silent_seconds(*reports); !silent) {
    if (is_starting(seen.job, now)) return;
    set_unknown(status, names::kStalled, names::kNotReported,
                "no node tells its progress, so a stall would not be seen: let the program write "
                "to LOCKSTEP_STATUS under lockstep-launch (launcher: Inject brings it), and the "
                "operator reach port 9790 of the pods",
                now);
  } else if (*silent < *timeout) {
    set_condition(status, names::kStalled, false, names::kProgressReported,
                  "the ranks tell of progress", now);
  }
}

}  // namespace lockstep
