// The whole operator in one page.
#include "operator/reconciler.h"

#include <utility>

#include "operator/api/names.h"
#include "operator/base/log.h"
#include "operator/plan/admission.h"
#include "operator/plan/ownership.h"

namespace lockstep {
namespace {

// The caches wake us when a write has come back; this is for a write that never does.
constexpr std::chrono::seconds kWriteLag{1};

// Why the phase is what it is, by the condition that speaks loudest.
std::string_view reason_of(const JobStatus& status) {
  for (const char* type :
       {names::kFailed, names::kComplete, names::kSuspended, names::kRestarting, names::kRunning}) {
    if (status.is(type)) return status.condition(type)->reason;
  }
  return status.display.reason;
}

}  // namespace

Reconciler::Reconciler(Client& client, const Caches& caches, Platform platform, const Clock& clock,
                       OnTransition on_transition)
    : client_(client),
      caches_(caches),
      platform_(std::move(platform)),
      clock_(clock),
      on_transition_(std::move(on_transition)),
      writes_(client, caches, clock) {}

Result<std::optional<Time>> Reconciler::reconcile(const ObjectKey& key, std::stop_token stop) {
  if (!writes_.are_visible(key)) return clock_.now() + kWriteLag;
  const std::optional<Observed> seen = TRY(observe(key, stop));
  if (!seen) return std::nullopt;  // gone: owner references collect its children
  const Plan plan = decide(*seen, clock_.now());
  const bool is_accepted = TRY(act(seen->job, plan, stop));
  if (!is_accepted) return clock_.now();  // the refusal is news to decide about
  return plan.look_again;
}

Result<std::optional<Observed>> Reconciler::observe(const ObjectKey& key, std::stop_token stop) {
  const auto job = caches_.jobs.find(key);
  Observed seen;
  {
    MutexLock lock(mutex_);
    const auto refused = refused_.extract(key);
    if (refused) seen.refused = refused.mapped();
  }
  if (!job) {
    writes_.forget(key);
    return std::nullopt;
  }
  seen.job = *job;
  seen.platform = platform_;
  for (const auto& pod : caches_.pods.of_job(key)) seen.pods.push_back(*pod);
  for (const CompanionStore& companions : caches_.companions) {
    for (const auto& companion : companions.store->of_job(key)) {
      seen.companions.push_back(*companion);
    }
  }
  if (caches_.reports) seen.reports = caches_.reports->find(key);
  TRY(confirm_gone(seen, stop));
  TRY(read_cluster_objects(seen, std::move(stop)));
  return seen;
}

// A cache may lag: before a node counts as lost, the API server itself has to say so.
Result<void> Reconciler::confirm_gone(Observed& seen, std::stop_token stop) {
  for (const int rank : ranks_to_confirm(seen.job, seen.pods)) {
    const ObjectKey pod{seen.job.meta.namespace_, pod_name(seen.job, rank)};
    const Result<nlohmann::json> found = client_.get(kPods, pod, stop);
    if (found) {
      seen.pods.push_back(TRY(parse_pod(*found)));
    } else if (found.error().kind == Kind::kNotFound) {
      seen.gone_ranks.insert(rank);
    } else {
      return tl::unexpected(found.error());
    }
  }
  return {};
}

Result<void> Reconciler::read_cluster_objects(Observed& seen, std::stop_token stop) {
  for (const ClusterObject& object : objects_to_read(seen)) {
    Result<nlohmann::json> found = client_.get(object.resource, {"", object.name}, stop);
    if (found) {
      seen.cluster_objects[object] = std::move(*found);
    } else if (found.error().kind != Kind::kNotFound) {
      return tl::unexpected(found.error());
    }
  }
  return {};
}

Result<bool> Reconciler::act(const TrainingJob& job, const Plan& plan, std::stop_token stop) {
  if (plan.status) {
    TRY(writes_.write_status(job, *plan.status, stop));
    tell(job, *plan.status);
  }
  for (const Event& event : plan.events) writes_.send_event(job, event, stop);
  for (const Action& action : plan.actions) {
    if (stop.stop_requested()) return failure(Kind::kCancelled, "stopping");
    if (!is_current(job)) return failure(Kind::kConflict, "the job changed");
    const std::optional<RefusedCreate> refused = TRY(writes_.carry_out(job, action, stop));
    if (!refused) continue;
    MutexLock lock(mutex_);
    refused_[job.meta.key()].push_back(*refused);
    return false;
  }
  return true;
}

bool Reconciler::is_current(const TrainingJob& job) const {
  const auto latest = caches_.jobs.find(job.meta.key());
  return latest && latest->meta.uid == job.meta.uid && !latest->meta.deletion_time &&
         latest->meta.generation == job.meta.generation &&
         latest->status.attempt <= job.status.attempt;
}

void Reconciler::tell(const TrainingJob& job, const JobStatus& status) const {
  if (status.phase == job.status.phase && status.attempt == job.status.attempt) return;
  log::info("job changed", {{"job", job.meta.name},
                            {"namespace", job.meta.namespace_},
                            {"phase", phase_name(status.phase)},
                            {"attempt", status.attempt},
                            {"reason", reason_of(status)}});
  if (on_transition_ && status.phase != job.status.phase) {
    on_transition_(phase_name(status.phase), reason_of(status));
  }
}

}  // namespace lockstep
