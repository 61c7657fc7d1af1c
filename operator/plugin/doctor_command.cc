// kubectl lockstep doctor: gathers the evidence, all questions side by side.
#include <iostream>

#include "operator/api/fields.h"
#include "operator/plugin/answer.h"
#include "operator/plugin/commands.h"
#include "operator/plugin/doctor.h"
#include "operator/plugin/pods.h"

namespace lockstep {
namespace {

using nlohmann::json;

struct Question {
  const char* what;
  Arguments arguments;
};

std::vector<Question> questions(const TrainingJob& job) {
  const std::string here = "--namespace=" + job.meta.namespace_;
  const auto events = [&](const std::string& kind) {
    return Arguments{"events", here, "--field-selector=involvedObject.kind=" + kind,
                     "--sort-by=.metadata.creationTimestamp"};
  };
  return {{"pods", pods_question(job.meta.namespace_, job.meta.name)},
          {"machines", {"nodes"}},
          {"claims", {"persistentvolumeclaims", here}},
          {"Services",
           {"services", here, "--selector=" + std::string(names::kJobUid) + "=" + job.meta.uid}},
          {"endpoints",
           {"endpointslices.discovery.k8s.io", here,
            "--selector=kubernetes.io/service-name=" + job.meta.name}},
          {"the operator",
           {"deployments.apps", "--all-namespaces",
            "--selector=app.kubernetes.io/name=" + std::string(names::kOperator)}},
          {"events of pods", events("Pod")},
          {"events of claims", events("PersistentVolumeClaim")}};
}

// What a forbidden question would have told is left open.
std::optional<std::vector<json>> answer(const Question& question, const Result<json>& answer,
                                        Evidence& evidence) {
  if (answer) return items(answer);
  evidence.unread.push_back(std::string(question.what) + ": " + answer.error().message);
  return std::nullopt;
}

void add_pods(const std::vector<json>& pods, Evidence& evidence) {
  const ObjectMeta& job = evidence.job.meta;
  evidence.pods = of_attempt(pods, job, evidence.job.status.attempt);
  for (const json& pod : pods) {
    const bool is_ours = label(pod, names::kJobUid) == job.uid;
    const bool is_earlier =
        label(pod, names::kAttempt) != std::to_string(evidence.job.status.attempt);
    if (is_ours && is_earlier) evidence.earlier_pods.push_back(pod);
  }
}

Result<Evidence> gather(const Session& session) {
  Evidence evidence;
  evidence.job = TRY(parse_training_job(TRY(read_job(session))));
  const std::vector<Question> asked = questions(evidence.job);
  std::vector<Arguments> arguments;
  for (const Question& question : asked) arguments.push_back(question.arguments);
  const ObjectMeta& meta = evidence.job.meta;
  const bool is_queued = meta.labels.contains(names::kQueueName);
  if (is_queued) {
    arguments.push_back({kubectl_name(kWorkloads), meta.name, "--namespace=" + meta.namespace_});
  }
  const auto answers = session.kubectl.get_all(arguments);
  add_pods(answer(asked[0], answers[0], evidence).value_or(std::vector<json>()), evidence);
  evidence.machines = answer(asked[1], answers[1], evidence);
  evidence.claims = answer(asked[2], answers[2], evidence);
  evidence.services = answer(asked[3], answers[3], evidence);
  evidence.endpoints = answer(asked[4], answers[4], evidence);
  evidence.operators = answer(asked[5], answers[5], evidence);
  for (const std::size_t events : {6, 7}) {
    for (json& event :
         answer(asked[events], answers[events], evidence).value_or(std::vector<json>())) {
      evidence.events.push_back(std::move(event));
    }
  }
  if (is_queued && answers.back()) evidence.workload = *answers.back();
  return evidence;
}

}  // namespace

Result<int> doctor(const Session& session) {
  const Result<Evidence> evidence = gather(session);
  if (!evidence) {
    const Error& error = evidence.error();
    if (error.kind == Kind::kNotFound && error.reason != kNoSuchKind) return tl::unexpected(error);
    std::cout << findings_text({about_unreadable(error)}, session.paint);
    return exit_code(error);
  }
  const Findings findings = diagnose(*evidence, now());
  std::cout << doctors_report(*evidence, findings, now(), session.paint);
  return findings.empty() ? kFine : kFault;
}

}  // namespace lockstep
