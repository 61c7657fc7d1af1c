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
#include "operator/runtime/shares.h"

namespace lockstep {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTick{250};        // how late a job that came due may be asked
constexpr std::size_t kMostAtOnce = 256;  // connections of a round
constexpr std::size_t kMostAskedForProgress = 16;
constexpr double kWakesPerSecond = 10;

// A node of one job.
struct Question {
  Survey* survey;
  int node_rank;
};

// What it is not asked for, and what another pod says that has its address by now, is no answer.
bool is_from(const NodeReport& report, const Question& question) {
  const PollTarget& target = question.survey->target;
  return report.job == target.job.name && report.uid == target.uid &&
         report.attempt == target.attempt && report.node_rank == question.node_rank;
}

// Of one round.
std::vector<Question> next_questions(std::list<Survey>& surveys) {
  std::vector<std::size_t> wanted;
  for (const Survey& survey : surveys) wanted.push_back(survey.until - survey.asked);
  const std::vector<std::size_t> shares = fair_shares(wanted, kMostAtOnce);
  std::vector<Question> questions;
  auto share = shares.begin();
  for (Survey& survey : surveys) {
    for (std::size_t i = 0; i < *share; ++i) {
      questions.push_back({&survey, static_cast<int>(survey.asked++)});
    }
    ++share;
  }
  return questions;
}

void put_answers(const std::vector<Question>& questions, int port) {
  std::vector<PageAddress> addresses;
  for (const Question& each : questions) {
    addresses.push_back({each.survey->target.ips[each.node_rank], port});
  }
  auto question = questions.begin();
  for (const auto& page : fetch_pages(addresses, "/progress")) {
    std::optional<NodeReport> report = page ? parse_node_report(*page) : std::nullopt;
    if (report && !is_from(*report, *question)) report.reset();
    question->survey->reports.nodes[question->node_rank] = std::move(report);
    ++question;
  }
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
    begin_surveys();
    ask();
    end_surveys();
    if (!surveys_.empty()) continue;
    MutexLock lock(mutex);
    never.wait_until(mutex, stop, std::chrono::steady_clock::now() + kTick, [] { return false; });
  }
}

void ProgressPoller::begin_surveys() {
  std::set<ObjectKey> running, asked;
  for (const Survey& survey : surveys_) asked.insert(survey.target.job);
  for (const auto& job : caches_.jobs.all()) {
    const ObjectKey key = job->meta.key();
    if (!poll_target(*job, {})) continue;
    running.insert(key);
    if (asked.contains(key) || !schedule_.is_due(key, clock_.steady_now())) continue;
    std::vector<Pod> pods;
    for (const auto& pod : caches_.pods.of_job(key)) pods.push_back(*pod);
    surveys_.push_back({*poll_target(*job, pods), {.attempt = job->status.attempt, .nodes = {}}});
  }
  const auto runs = [&](const ObjectKey& job) { return running.contains(job); };
  surveys_.remove_if([&](const Survey& survey) { return !runs(survey.target.job); });
  schedule_.keep(runs);
  budget_.keep(runs);
  board_.keep(runs);
}

// Who got no turn comes first in the next round.
void ProgressPoller::ask() {
  const std::vector<Question> questions = next_questions(surveys_);
  std::set<const Survey*> served;
  for (const Question& each : questions) served.insert(each.survey);
  put_answers(questions, port_);
  std::list<Survey> later;
  for (auto survey = surveys_.begin(); survey != surveys_.end();) {
    const auto next = std::next(survey);
    if (served.contains(&*survey)) later.splice(later.end(), surveys_, survey);
    survey = next;
  }
  surveys_.splice(surveys_.end(), later);
}

void ProgressPoller::end_surveys() {
  surveys_.remove_if([this](Survey& survey) {
    if (survey.asked == 1 && needs_others(survey.target, survey.reports.nodes.at(0))) {
      survey.until = survey.target.ips.size();
    }
    if (survey.asked < survey.until) return false;
    take(survey.target, std::move(survey.reports));
    return true;
  });
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
