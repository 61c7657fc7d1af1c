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

// Of the nodes that run, by rank; only the operator's own pods are asked.
std::vector<std::string> pages_of(const Session& session, const TrainingJob& job,
                                  const std::vector<json>& pods) {
  std::vector<std::string> names;
  for (const json& pod : of_attempt(pods, job.meta, job.status.attempt)) {
    if (is_running(pod) && names.size() < kMostNodes) {
      names.push_back(fields::text(fields::member(pod, "metadata"), "name"));
    }
  }
  return session.kubectl.progress_pages(job.meta.namespace_, names);
}

std::vector<json> pods_of(const TrainingJob& job, const std::vector<json>& pods) {
  std::vector<json> own;
  for (const json& pod : pods) {
    if (label(pod, names::kJobUid) == job.meta.uid) own.push_back(pod);
  }
  return own;
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
  std::vector<JobNow> found;
  for (const json& object : items(TRY(std::move(answers[0])))) {
    const Result<TrainingJob> job = parse_training_job(object);
    if (!job || job->status.is_finished()) continue;
    const std::vector<std::string> pages = pages_of(session, *job, pods_of(*job, all_pods));
    if (auto now = job_now(object, pages)) found.push_back(std::move(*now));
  }
  return found;
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
