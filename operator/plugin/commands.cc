// The commands that ask once.
#include "operator/plugin/commands.h"

#include <iostream>

#include "operator/api/fields.h"
#include "operator/base/clock.h"
#include "operator/base/text.h"
#include "operator/plugin/answer.h"
#include "operator/plugin/completion.h"
#include "operator/plugin/describe.h"
#include "operator/plugin/doctor.h"
#include "operator/plugin/list.h"
#include "operator/plugin/suspension.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

constexpr char kNoFiles[] = ":4";  // to kubectl: do not complete file names

Arguments jobs_question(const CommandLine& line) {
  Arguments question{kubectl_name(kTrainingJobs)};
  if (line.all_namespaces) question.push_back("--all-namespaces");
  return question;
}

// The uid also leaves a namesake's events out.
Arguments events_question(const ObjectMeta& job) {
  return {"events", "--namespace=" + job.namespace_,
          "--field-selector=involvedObject.uid=" + job.uid};
}

Arguments companions_question(const std::string& kinds, const ObjectMeta& job) {
  return {kinds, "--namespace=" + job.namespace_,
          "--selector=" + std::string(names::kJobUid) + "=" + job.uid};
}

// What the sentence says is done first.
Result<int> carry_out(const Session& session, const Change& change, const ObjectMeta& job) {
  if (change.suspend) TRY(set_suspend(session, job, *change.suspend));
  std::cout << change.sentence << "\n";
  return kFine;
}

}  // namespace

int exit_code(const Error& error) {
  switch (error.kind) {
    case Kind::kUnavailable:
    case Kind::kThrottled:
      return kUnreachable;
    case Kind::kForbidden:
      return kNotPermitted;
    case Kind::kInvalid:
      return contract::kExitUsage;
    default:
      return kFault;
  }
}

Time now() { return SystemClock().now(); }

std::vector<json> items(const Result<json>& list) {
  if (!list) return {};
  const json& found = fields::list(*list, "items");
  return {found.begin(), found.end()};
}

Arguments pods_question(const std::string& namespace_, const std::string& job) {
  return {"pods", "--namespace=" + namespace_,
          "--selector=" + std::string(names::kJobName) + "=" + job};
}

Result<json> read_job(const Session& session) {
  const std::string& name = session.line.job;
  Result<json> job = session.kubectl.get({kubectl_name(kTrainingJobs), name});
  if (job || job.error().kind != Kind::kNotFound || job.error().reason == kNoSuchKind) return job;
  std::vector<std::string> others;
  for (const json& each : items(session.kubectl.get(jobs_question({})))) {
    others.push_back(fields::text(fields::member(each, "metadata"), "name"));
  }
  const Finding finding = about_unknown_job(name, session.kubectl.current_namespace(), others);
  return failure(Kind::kNotFound, finding.wrong + ": " + finding.advice);
}

Result<json> set_suspend(const Session& session, const ObjectMeta& job, bool suspend) {
  return session.kubectl.patch(kTrainingJobs, job.namespace_, job.name, suspend_patch(suspend));
}

Result<int> list(const Session& session) {
  const json jobs = TRY(session.kubectl.get(jobs_question(session.line)));
  const std::string text = list_jobs(jobs, session.line.all_namespaces, now(), session.paint);
  if (text.empty()) {
    std::cerr << (session.line.all_namespaces
                      ? "no TrainingJobs in any namespace\n"
                      : "no TrainingJobs in namespace " + session.kubectl.current_namespace() +
                            "; -A shows all\n");
  }
  std::cout << text;
  return kFine;
}

Result<int> describe(const Session& session) {
  const json object = TRY(read_job(session));
  const ObjectMeta job = TRY(parse_meta(object));
  const auto answers = session.kubectl.get_all(
      {pods_question(job.namespace_, job.name),
       companions_question("services,networkpolicies.networking.k8s.io", job),
       companions_question(kubectl_name(kWorkloads), job), companions_question("podgroups", job),
       events_question(job)});
  Surroundings around{.pods = items(answers[0]), .companions = {}, .events = items(answers[4])};
  // Most clusters serve neither of the last two.
  for (const int optional : {1, 2, 3}) {
    for (json& each : items(answers[optional])) around.companions.push_back(std::move(each));
  }
  std::cout << TRY(describe_job(object, around, now(), session.paint));
  return kFine;
}

Result<int> suspend(const Session& session) {
  const TrainingJob job = TRY(parse_training_job(TRY(read_job(session))));
  return carry_out(session, TRY(suspension_of(job)), job.meta);
}

Result<int> resume(const Session& session) {
  const TrainingJob job = TRY(parse_training_job(TRY(read_job(session))));
  return carry_out(session, TRY(resumption_of(job)), job.meta);
}

Result<int> completion(const Session& session) {
  std::cout << completion_script(session.line.shell);
  return kFine;
}

// Silent about errors: they would stand in the middle of somebody's command line.
Result<int> complete(const Session& session) {
  const Candidates candidates = complete(session.line.words);
  for (const std::string& word : candidates.words) std::cout << word << "\n";
  if (!candidates.kubectl.empty()) {
    const Ended ended =
        run(session.kubectl.command(candidates.kubectl), {.time = std::chrono::seconds(5)});
    for (const std::string& name : named(printable(ended.out), session.line.words.back())) {
      std::cout << name << "\n";
    }
  }
  std::cout << kNoFiles << "\n";
  return kFine;
}

}  // namespace lockstep
