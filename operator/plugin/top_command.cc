// kubectl lockstep top: a table, drawn again and again.
#include <iostream>
#include <sstream>
#include <thread>

#include "operator/api/fields.h"
#include "operator/plugin/commands.h"
#include "operator/plugin/pods.h"
#include "operator/plugin/top.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kInterval{2};
constexpr std::size_t kMostNodes = 32;  // asked of each job: every one costs a kubectl

constexpr char kHome[] = "\x1b[H";
constexpr char kClearLine[] = "\x1b[K\n";
constexpr char kClearRest[] = "\x1b[J";

bool is_running(const json& pod) {
  return fields::text(fields::member(pod, "status"), "phase") == "Running";
}

// The nodes that run, by rank; only the operator's own pods are asked.
std::vector<ObjectKey> asked_of(const TrainingJob& job, const std::vector<json>& pods) {
  std::vector<ObjectKey> asked;
  for (const json& pod : of_attempt(pods, job.meta, job.status.attempt)) {
    if (is_running(pod) && asked.size() < kMostNodes) {
      asked.push_back({job.meta.namespace_, fields::text(fields::member(pod, "metadata"), "name")});
    }
  }
  return asked;
}

std::vector<json> pods_of(const TrainingJob& job, const std::vector<json>& pods) {
  std::vector<json> own;
  for (const json& pod : pods) {
    if (label(pod, names::kJobUid) == job.meta.uid) own.push_back(pod);
  }
  return own;
}

struct JobAsked {
  json object;
  std::size_t nodes;  // how many of its nodes were asked
};

// `pages` of all jobs' nodes, one job after the other.
std::vector<JobNow> all_now(const std::vector<JobAsked>& jobs,
                            const std::vector<std::string>& pages) {
  std::vector<JobNow> found;
  auto page = pages.begin();
  for (const JobAsked& job : jobs) {
    const auto next = page + static_cast<std::ptrdiff_t>(job.nodes);
    if (auto now = job_now(job.object, {page, next})) found.push_back(std::move(*now));
    page = next;
  }
  return found;
}

Result<std::vector<JobNow>> look(const Session& session) {
  Arguments jobs{kubectl_name(kTrainingJobs)};
  Arguments pods{"pods", "--selector=" + std::string(names::kJobName)};
  if (session.line.all_namespaces) {
    jobs.push_back("--all-namespaces");
    pods.push_back("--all-namespaces");
  }
  auto answers = session.kubectl.get_all({jobs, pods});
  const std::vector<json> all_pods = items(answers[1]);
  std::vector<JobAsked> jobs_asked;
  std::vector<ObjectKey> asked;
  for (json& object : items(TRY(std::move(answers[0])))) {
    const Result<TrainingJob> job = parse_training_job(object);
    if (!job || job->status.is_finished()) continue;
    const std::vector<ObjectKey> nodes = asked_of(*job, pods_of(*job, all_pods));
    jobs_asked.push_back({std::move(object), nodes.size()});
    asked.insert(asked.end(), nodes.begin(), nodes.end());
  }
  return all_now(jobs_asked, session.kubectl.progress_pages(asked));
}

// In place, without clearing first: nothing flickers, and nothing has to be restored at the end.
std::string in_place(const std::string& text) {
  std::istringstream lines(text);
  std::string drawn = kHome;
  for (std::string line; std::getline(lines, line);) drawn += line + kClearLine;
  return drawn + kClearRest;
}

}  // namespace

Result<int> top(const Session& session) {
  while (true) {
    const std::vector<JobNow> jobs = TRY(look(session));
    const std::string table = jobs.empty()
                                  ? "no TrainingJob is under way\n"
                                  : top_table(jobs, session.line.all_namespaces, session.paint);
    const bool is_drawn = session.is_terminal && !session.line.is_once;
    std::cout << (is_drawn ? in_place(table) : table) << std::flush;
    if (session.line.is_once || !std::cout) return kFine;
    std::this_thread::sleep_for(kInterval);
  }
}

}  // namespace lockstep
