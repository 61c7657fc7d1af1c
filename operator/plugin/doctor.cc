// The order of the examination, and its report.
#include "operator/plugin/doctor.h"

#include "operator/base/nearest.h"
#include "operator/plugin/answer.h"
#include "operator/plugin/words.h"

namespace lockstep {
namespace {

constexpr char kInstall[] =
    "install Lockstep: helm install lockstep charts/lockstep --namespace lockstep-system "
    "--create-namespace --wait";

std::string part(const char* label, const std::string& text) {
  if (text.empty()) return "";
  const std::string margin(9, ' ');
  return "   " + std::string(label) + indented(text, margin).substr(margin.size());
}

}  // namespace

Findings diagnose(const Evidence& seen, Time now) {
  Findings findings;
  examine_operator(seen, now, findings);
  examine_job(seen, now, findings);
  examine_storage(seen, findings);
  examine_pods(seen, now, findings);
  examine_network(seen, now, findings);
  return findings;
}

std::string findings_text(const Findings& findings, const Paint& paint) {
  std::string text;
  int number = 0;
  for (const Finding& finding : findings) {
    text += std::to_string(++number) + ". " + paint(finding.wrong, Colour::kRed) + "\n";
    text += part("seen: ", finding.evidence) + part("do:   ", finding.advice);
  }
  return text;
}

std::string doctors_report(const Evidence& seen, const Findings& findings, Time now,
                           const Paint& paint) {
  const JobStatus& status = seen.job.status;
  std::string text = findings_text(findings, paint);
  if (findings.empty()) {
    text = paint("nothing is wrong", Colour::kGreen) + ": " + seen.job.meta.name + " is " +
           std::string(phase_name(status.phase));
    if (!status.is_finished()) {
      text += " since " + age_text(status.attempt_start_time, now) + ", " + status.display.nodes +
              " nodes ready";
    }
    text += "\n";
  }
  for (const std::string& sentence : seen.unread) text += "not examined: " + sentence + "\n";
  return text;
}

Finding about_unreadable(const Error& error) {
  if (error.reason == kNoKubectl) {
    return {"kubectl cannot be run", error.message,
            "install kubectl, put it into PATH or name it in KUBECTL"};
  }
  if (error.reason == kNoSuchKind) {
    return {"the cluster does not know TrainingJobs", error.message, kInstall};
  }
  if (error.reason == kUnauthorized) {
    return {"the cluster does not know who asks", error.message,
            "log in again, or choose the user of the kubeconfig with --user or --context"};
  }
  switch (error.kind) {
    case Kind::kForbidden:
      return {"you may not read TrainingJobs", error.message,
              "ask an administrator for get and list of trainingjobs.lockstep.dev and pods in the "
              "namespace"};
    case Kind::kUnavailable:
      return {"the cluster does not answer", error.message,
              "see whether `kubectl get --raw /readyz` answers, and whether the context is the one "
              "you mean (`kubectl config current-context`)"};
    default:
      return {"kubectl fails", error.message, "run the same with kubectl to see more"};
  }
}

Finding about_unknown_job(const std::string& name, const std::string& namespace_,
                          const std::vector<std::string>& jobs) {
  const std::string near = nearest(name, jobs);
  return {"there is no TrainingJob " + name + " in namespace " + namespace_,
          jobs.empty()
              ? "the namespace has no TrainingJobs"
              : "the namespace has " + plural(static_cast<int>(jobs.size()), "TrainingJob"),
          (near.empty() ? "" : "did you mean " + near + "? ") +
              std::string("Others are elsewhere: kubectl lockstep list -A")};
}

}  // namespace lockstep
