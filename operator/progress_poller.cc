// First nodes, then all nodes of the jobs that may stand still.
#include "operator/progress_poller.h"

#include <algorithm>
#include <set>
#include <utility>

#include "operator/api/names.h"
#include "operator/plan/nodes.h"
#include "operator/plan/progress.h"
#include "operator/plan/stall.h"
#include "operator/runtime/pages.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{250};        // how late a job that came due may be asked
constexpr std::size_t kMostAtOnce = 256;  // connections
constexpr std::size_t kMostAskedForProgress = 16;
constexpr double kWakesPerSecond = 10;

// A node of one target.
struct Question {
  const PollTarget* target;
  int node_rank;
};

// What it is not asked for, and what another pod says that has its address by now, is no answer.
bool is_from(const NodeReport& report, const Question& question) {
  return report.job == question.target->job.name && report.uid == question.target->uid &&
         report.attempt == question.target->attempt && report.node_rank == question.node_rank;
}

std::vector<std::optional<NodeReport>> answers_to(const std::vector<Question>& questions,
                                                  int port) {
  std::vector<std::optional<NodeReport>> answers;
  while (answers.size() < questions.size()) {
    std::vector<PageAddress> addresses;
    const std::size_t first = answers.size();
    const std::size_t last = std::min(questions.size(), first + kMostAtOnce);
    for (std::size_t i = first; i < last; ++i) {
      addresses.push_back({questions[i].target->ips[questions[i].node_rank], port});
    }
    for (const auto& page : fetch_pages(addresses, "/progress")) {
      std::optional<NodeReport> report = page ? parse_node_report(*page) : std::nullopt;
      const bool is_believed = report && is_from(*report, questions[answers.size()]);
      answers.push_back(is_believed ? std::move(report) : std::nullopt);
    }
  }
  return answers;
}

// Whether the others have to be asked as well: for a stall, all of them; for a job whose first node
// tells nothing, while they are few.
bool needs_others(const PollTarget& target, const std::optional<NodeReport>& first) {
  if (!target.stall_timeout_seconds) {
    return first && !first->progress && target.ips.size() <= kMostAskedForProgress;
  }
  return !first || !first->silent_seconds ||
         *first->silent_seconds >= *target.stall_timeout_seconds;
}

bool may_stand_still(const PollTarget& target, const Reports& reports) {
  const auto silent = silent_seconds(reports);
  return target.stall_timeout_seconds && silent && *silent >= *target.stall_timeout_seconds;
}

// Until the timeout would be over if nothing were told any more.
std::optional<milliseconds> until_stall(const PollTarget& target, const Reports& reports) {
  const auto silent = silent_seconds(reports);
  const double left = target.stall_timeout_seconds.value_or(0) - silent.value_or(0);
  if (!silent || left <= 0) return std::nullopt;
  return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(left));
}

}  // namespace

std::optional<PollTarget> poll_target(const TrainingJob& job, const std::vector<Pod>& pods) {
  const bool runs = job.faults.empty() && job.status.is(names::kRunning) &&
                    !job.status.is_finished() && !job.meta.deletion_time;
  if (!runs) return std::nullopt;
  PollTarget target{.job = job.meta.key(),
                    .uid = job.meta.uid,
                    .attempt = job.status.attempt,
                    .stall_timeout_seconds = job.spec.run_policy.stall_timeout_seconds,
                    .ips = {}};
  for (const Pod* pod : sort_nodes(job, pods).current) target.ips.push_back(pod ? pod->ip : "");
  return target;
}

ProgressPoller::ProgressPoller(const Caches& caches, ReportBoard& board, Wake wake,
                               const Clock& clock, milliseconds interval, int port)
    : caches_(caches),
      board_(board),
      wake_(std::move(wake)),
      clock_(clock),
      port_(port),
      schedule_(interval),
      budget_(kWakesPerSecond, kProgressInterval),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void ProgressPoller::run(const std::stop_token& stop) {
  Mutex mutex;
  CondVar never;
  while (!stop.stop_requested()) {
    ask(due());
    MutexLock lock(mutex);
    never.wait_until(mutex, stop, std::chrono::steady_clock::now() + kTick, [] { return false; });
  }
}

std::vector<PollTarget> ProgressPoller::due() {
  std::vector<PollTarget> targets;
  std::set<ObjectKey> running;
  for (const auto& job : caches_.jobs.all()) {
    const ObjectKey key = job->meta.key();
    if (!poll_target(*job, {})) continue;
    running.insert(key);
    if (!schedule_.is_due(key, clock_.steady_now())) continue;
    std::vector<Pod> pods;
    for (const auto& pod : caches_.pods.of_job(key)) pods.push_back(*pod);
    targets.push_back(*poll_target(*job, pods));
  }
  const auto runs = [&](const ObjectKey& job) { return running.contains(job); };
  schedule_.keep(runs);
  budget_.keep(runs);
  board_.keep(runs);
  return targets;
}

void ProgressPoller::ask(const std::vector<PollTarget>& targets) {
  std::vector<Question> questions;
  for (const PollTarget& target : targets) questions.push_back({&target, 0});
  const auto first_nodes = answers_to(questions, port_);
  std::vector<Reports> reports;
  questions.clear();
  for (std::size_t i = 0; i < targets.size(); ++i) {
    reports.push_back({targets[i].attempt, {{0, first_nodes[i]}}});
    if (!needs_others(targets[i], first_nodes[i])) continue;
    for (int rank = 1; rank < static_cast<int>(targets[i].ips.size()); ++rank) {
      questions.push_back({&targets[i], rank});
    }
  }
  const auto other_nodes = answers_to(questions, port_);
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const auto target = static_cast<std::size_t>(questions[i].target - targets.data());
    reports[target].nodes[questions[i].node_rank] = other_nodes[i];
  }
  for (std::size_t i = 0; i < targets.size(); ++i) take(targets[i], std::move(reports[i]));
}

void ProgressPoller::take(const PollTarget& target, Reports reports) {
  const auto now = clock_.steady_now();
  const bool is_urgent = may_stand_still(target, reports);
  const bool is_answered = std::any_of(reports.nodes.begin(), reports.nodes.end(),
                                       [](const auto& entry) { return entry.second.has_value(); });
  if (is_answered) {
    schedule_.answered(target.job, now, until_stall(target, reports));
  } else {
    schedule_.failed(target.job, now);
  }
  board_.put(target.job, std::move(reports));
  if (is_urgent || budget_.take(target.job, now)) wake_(target.job);
}

}  // namespace lockstep
