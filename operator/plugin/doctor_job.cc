// What the operator says in the job's conditions.
#include <array>
#include <string_view>

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/api/workload.h"
#include "operator/plugin/doctor.h"
#include "operator/plugin/last_failure.h"

namespace lockstep {
namespace {

using nlohmann::json;

struct Refusal {
  std::string_view words;  // of the API server
  const char* wrong;
  const char* advice;
};

// The first that fits.
constexpr std::array kRefusals = {
    Refusal{
        "exceeded quota", "the namespace's quota is used up",
        "kubectl describe resourcequota shows it: free some, ask for less in "
        "spec.resourcesPerNode or for fewer nodes, or have the quota raised; the operator tries "
        "again by itself"},
    Refusal{"failed quota", "the namespace's quota wants every pod to say what it uses",
            "set the resources that it names in spec.resourcesPerNode"},
    Refusal{"violates PodSecurity", "Pod Security refuses the pods",
            "change spec.template as the message says, or the label "
            "pod-security.kubernetes.io/enforce of the namespace"},
    Refusal{"cannot create resource", "the operator may not create what the job needs",
            "upgrade the chart, which brings the rights: helm upgrade lockstep charts/lockstep"},
    Refusal{"admission webhook", "an admission webhook refuses the pods",
            "change the job as the webhook says, or the webhook"},
    Refusal{"usage per", "the namespace's LimitRange refuses the pods",
            "kubectl describe limitrange shows the limits: fit spec.resourcesPerNode into them"},
    Refusal{"serviceaccount", "the pods' service account does not exist",
            "create it, or name another in spec.template.spec.serviceAccountName"},
    Refusal{"PriorityClass", "the priority class does not exist",
            "create it, or name another in spec.schedulingPolicy.priorityClassName"},
    Refusal{"", "the API server refuses the pods",
            "change the job as the message says: what is fixed once it exists needs a new job"}};

Finding about_refusal(const Condition& condition) {
  for (const Refusal& refusal : kRefusals) {
    if (condition.message.find(refusal.words) == std::string::npos) continue;
    return {refusal.wrong, condition.message, refusal.advice};
  }
  return {};
}

std::string resume_command(const TrainingJob& job) {
  return "kubectl lockstep resume " + job.meta.name + " -n " + job.meta.namespace_;
}

// Kueue's own words are fresher than the condition made of them.
std::string queue_words(const Evidence& seen, const Condition& held) {
  if (!seen.workload) return held.message;
  const std::string words = parse_workload(*seen.workload).message(kueue::kQuotaReserved);
  return words.empty() || held.message.find(words) != std::string::npos
             ? held.message
             : held.message + "\nKueue: " + words;
}

Finding about_hold(const Evidence& seen, const Condition& held) {
  const TrainingJob& job = seen.job;
  const std::string queue =
      "kubectl describe localqueue " + job.status.display.queue + " -n " + job.meta.namespace_;
  if (held.reason == names::kJobSuspended) {
    return {"the job is suspended", held.message, resume_command(job)};
  }
  if (held.reason == names::kNoKueue) {
    return {"the job asks for a queue, but there is no Kueue", held.message,
            "install Kueue and set kueue.enabled of the chart, or remove the label " +
                std::string(names::kQueueName)};
  }
  if (held.reason == names::kCreateRefused) return about_refusal(held);
  return {"the job waits in its queue", queue_words(seen, held),
          queue + " shows what it has and what waits before this job"};
}

Finding about_end(const JobStatus& status, Time now) {
  const Condition& failed = *status.condition(names::kFailed);
  std::string evidence = failed.message;
  // The message has the last line already.
  const bool said_more =
      status.last_failure && status.last_failure->message.find('\n') != std::string::npos;
  if (said_more) evidence += "\n" + describe(*status.last_failure, now);
  std::string advice =
      "mend what the last lines say, delete the job and create it anew; its "
      "checkpoints stay";
  if (failed.reason == names::kBackoffLimitExceeded) {
    advice += "; runPolicy.backoffLimit says how many failures are forgiven";
  }
  return {"the job has failed: " + failed.reason, evidence, advice};
}

Finding about_restart(const JobStatus& status, Time now) {
  const bool waits = status.next_restart_time && *status.next_restart_time > now;
  std::string wrong = "attempt " + std::to_string(status.last_failure->attempt) + " was lost";
  if (waits) wrong += ", and the next waits for its back-off";
  const bool is_failure = status.attempt_cause == AttemptCause::kFailure;
  return {wrong, describe(*status.last_failure, now),
          is_failure ? "mend what the last lines say before runPolicy.backoffLimit is reached"
                     : "nothing: a lost node costs no failure, and the job goes on from its "
                       "newest checkpoint"};
}

void examine_obstacles(const JobStatus& status, Findings& findings) {
  if (status.is(names::kNameConflict)) {
    findings.push_back({"an object of another owner has a name that the job needs",
                        status.condition(names::kNameConflict)->message,
                        "delete or rename that object, or give the job another name; the operator "
                        "goes on by itself"});
  }
  const Condition* created = status.condition(names::kPodsCreated);
  if (created && !created->status && created->reason == names::kCreateRefused) {
    findings.push_back(about_refusal(*created));
  }
  const Condition* gang = status.condition(names::kGangScheduled);
  if (gang && !gang->status) {
    findings.push_back({"nodes are scheduled one by one, although the job asks for a gang",
                        gang->message,
                        "install that scheduler and set gangScheduling of the chart, or remove "
                        "spec.schedulingPolicy.gang"});
  }
  if (status.is(names::kStalled)) {
    findings.push_back({"the job makes no progress", status.condition(names::kStalled)->message,
                        "kubectl lockstep top shows the rank that the others wait for, kubectl "
                        "lockstep logs --rank its output"});
  }
}

}  // namespace

void examine_job(const Evidence& seen, Time now, Findings& findings) {
  const TrainingJob& job = seen.job;
  const JobStatus& status = job.status;
  if (!job.faults.empty()) {
    findings.push_back({"the job's spec makes no sense", job.faults.summary(),
                        "delete the job and create it anew as the message says"});
  }
  if (status.is(names::kFailed)) findings.push_back(about_end(status, now));
  if (status.is_finished()) return;
  const std::string& manager = job.spec.run_policy.managed_by;
  if (!manager.empty() && manager != names::kOurManager) {
    findings.push_back({"the job is left to " + manager, "spec.runPolicy.managedBy is " + manager,
                        "ask who runs " + manager + ": the Lockstep operator keeps its hands off"});
  }
  if (status.is(names::kSuspended)) {
    findings.push_back(about_hold(seen, *status.condition(names::kSuspended)));
  }
  examine_obstacles(status, findings);
  const bool is_restarting = status.is(names::kRestarting) && status.last_failure &&
                             status.last_failure->attempt + 1 == status.attempt;
  if (is_restarting) findings.push_back(about_restart(status, now));
}

}  // namespace lockstep
