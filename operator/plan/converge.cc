// Creation: the last of the rules, reached when there is nothing to end or to restart.
#include "operator/plan/converge.h"

#include <algorithm>
#include <functional>

#include "operator/api/names.h"
#include "operator/plan/admission.h"
#include "operator/plan/companions.h"
#include "operator/plan/conditions.h"
#include "operator/plan/deadline.h"
#include "operator/plan/desired_pod.h"
#include "operator/plan/ownership.h"
#include "operator/plan/ranks.h"
#include "operator/plan/restart.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr seconds kConflictRetry{10};
constexpr seconds kCreateRetry{30};

bool is_going(const View& view, const std::string& what) {
  return std::any_of(view.seen.pods.begin(), view.seen.pods.end(), [&](const Pod& pod) {
    return pod.meta.deletion_time && described(kPods, pod.meta.name) == what;
  });
}

// Objects of others under our names, as a sentence; empty when there are none.
std::string conflict(const View& view) {
  std::vector<std::string> taken = view.nodes.foreign;
  for (const Create& wanted : desired_companions(view.job, view.seen.platform)) {
    const Companion* found = existing(view.seen.companions, wanted);
    if (found && !owns(view.job, found->meta))
      taken.push_back(described(wanted.resource, wanted.name));
  }
  for (const RefusedCreate& refused : view.seen.refused) {
    if (refused.kind == Refusal::kNameTaken) taken.push_back(refused.what);
  }
  if (taken.empty()) return "";
  if (is_going(view, taken.front())) {
    return taken.front() +
           " of another owner is being deleted and is waited for: if its machine is dead, "
           "delete it by force";
  }
  return taken.front() + " exists and is not this job's: delete it, or give the job another name";
}

Plan wait_for_names(const View& view, const std::string& sentence) {
  JobStatus status = view.status;
  set_condition(status, names::kNameConflict, true, names::kNameTaken, sentence, view.now);
  return plan_status(view, std::move(status), view.now + kConflictRetry);
}

// All or nothing: what was created gives way, and the whole attempt is tried again later. Spread by
// job and attempt, so that two jobs that share a quota do not meet again and again.
Plan retry_creation(const View& view, const RefusedCreate& refused) {
  JobStatus status = with_new_attempt(view.status, AttemptCause::kPartialCreate);
  status.next_restart_time = view.status.next_restart_time;  // the startup deadline counts from it
  const std::string seed = view.job.meta.uid + "/" + std::to_string(status.attempt);
  const auto spread = std::hash<std::string>{}(seed) % kCreateRetry.count();
  status.create_retry_time = view.now + kCreateRetry + seconds(spread);
  set_condition(status, names::kPodsCreated, false, names::kCreateRefused,
                refused.what + " was refused: " + refused.message, view.now);
  return plan_status(view, std::move(status), status.create_retry_time);
}

const RefusedCreate* refusal(const View& view, Refusal kind) {
  for (const RefusedCreate& refused : view.seen.refused) {
    if (refused.kind == kind && refused.attempt == view.status.attempt) return &refused;
  }
  return nullptr;
}

void create_missing_pods(const View& view, Plan& plan) {
  for (int rank = 0; rank < view.job.spec.num_nodes; ++rank) {
    if (view.nodes.current[rank]) continue;
    nlohmann::json pod = desired_pod(view.job, rank, view.seen.platform);
    assign(pod, view.seen, group_of(view.job.spec, rank));
    plan.actions.push_back(Create{kPods, pod_name(view.job, rank), std::move(pod)});
  }
}

Time creation_time(const View& view) {
  return std::max(view.status.next_restart_time.value_or(view.now),
                  view.status.create_retry_time.value_or(view.now));
}

}  // namespace

Plan converge(const View& view) {
  if (!view.status.pods_created) {
    if (const std::string sentence = conflict(view); !sentence.empty()) {
      return wait_for_names(view, sentence);
    }
    if (const auto* refused = refusal(view, Refusal::kForNow))
      return retry_creation(view, *refused);
  }
  JobStatus status = view.status;
  if (view.nodes.all_exist()) {
    status.pods_created = true;
    drop_condition(status, names::kNameConflict);
  }
  const bool may_create = !status.pods_created && creation_time(view) <= view.now;
  Plan plan = plan_status(view, std::move(status), startup_deadline(view));
  for (Create& wanted : desired_companions(view.job, view.seen.platform)) {
    if (!existing(view.seen.companions, wanted)) plan.actions.push_back(std::move(wanted));
  }
  if (may_create) create_missing_pods(view, plan);
  if (creation_time(view) > view.now) look_again_at(plan, creation_time(view));
  return plan;
}

std::optional<Verdict> refused_for_good(const View& view) {
  const RefusedCreate* refused = refusal(view, Refusal::kForGood);
  if (!refused || view.status.pods_created) return std::nullopt;
  return Verdict{names::kCreateRefused,
                 refused->what + " can never be created: " + refused->message};
}

}  // namespace lockstep
