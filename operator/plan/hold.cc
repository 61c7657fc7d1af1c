// runPolicy.suspend and Kueue's answer.
#include "operator/plan/hold.h"

#include "operator/api/fields.h"
#include "operator/api/names.h"
#include "operator/plan/admission.h"
#include "operator/plan/workload_request.h"

namespace lockstep {
namespace {

constexpr std::chrono::seconds kRefusalRetry{30};

std::string described(const ClusterObject& object) {
  return lockstep::described(object.resource, object.name);
}

// Outside of its queue it would take what others were promised. What runs already is left alone.
std::optional<Hold> hold_without_kueue(const View& view) {
  if (view.status.pods_created || view.nodes.exist()) return std::nullopt;
  return Hold{names::kNoKueue,
              std::string("the label ") + names::kQueueName +
                  " asks for a queue, but the cluster serves no Workloads of Kueue (" +
                  std::string(kWorkloads.group) + "/" + std::string(kWorkloads.version) +
                  ") to the operator: install Kueue and set kueue.enabled of the chart, or remove "
                  "the label",
              {}};
}

// A refusal is seen in one pass only: status remembers it until the next try.
std::optional<Hold> refused_request(const View& view) {
  for (const RefusedCreate& refused : view.seen.refused) {
    if (refused.what != described({kWorkloads, view.job.meta.name})) continue;
    return Hold{names::kCreateRefused, refused.what + " was refused: " + refused.message,
                view.now + kRefusalRetry};
  }
  const Condition* before = view.status.condition(names::kSuspended);
  const bool is_remembered = before && before->reason == names::kCreateRefused &&
                             view.status.create_retry_time.value_or(view.now) > view.now;
  if (!is_remembered) return std::nullopt;
  return Hold{before->reason, before->message, view.status.create_retry_time};
}

std::string queue_message(const View& view) {
  const std::string queue = "waits in the queue " + queue_of(view.job);
  const Companion* entry = workload_of(view.seen);
  if (!entry) return queue;
  const Workload& workload = *entry->workload;
  if (workload.is(kueue::kQuotaReserved)) {
    return "quota is reserved, but Kueue's admission checks are not all passed";
  }
  const std::string why = workload.message(kueue::kQuotaReserved);
  return why.empty() ? queue : queue + ": " + why;
}

// Labelled while it ran: it queues with its next attempt. A job that a queue let in was held
// before.
bool runs_without_its_queue(const View& view) {
  const bool runs = view.status.pods_created || view.nodes.exist();
  return runs && !workload_of(view.seen) && !view.status.condition(names::kSuspended);
}

std::optional<Hold> hold_of_queue(const View& view) {
  if (runs_without_its_queue(view)) return std::nullopt;
  if (auto refused = refused_request(view)) return refused;
  if (const auto missing = missing_object(view.seen)) {
    return Hold{names::kWaitingForQuota, described(*missing) + " does not exist", {}};
  }
  const Companion* entry = workload_of(view.seen);
  if (!entry) return Hold{names::kWaitingForQuota, queue_message(view), {}};
  const Workload& workload = *entry->workload;
  const bool is_out =
      workload.is(kueue::kEvicted) && (workload.is(kueue::kQuotaReserved) || !workload.is_active);
  if (is_out) return Hold{names::kEvicted, workload.message(kueue::kEvicted), {}};
  if (workload.is(kueue::kFinished)) {
    return Hold{names::kWaitingForQuota,
                "its Workload is finished and gives no quota any more: delete it to queue again",
                {}};
  }
  if (workload.is(kueue::kAdmitted)) return std::nullopt;
  return Hold{names::kWaitingForQuota, queue_message(view), {}};
}

}  // namespace

std::optional<Hold> hold_of(const View& view) {
  if (view.job.spec.run_policy.is_suspended) {
    return Hold{
        names::kJobSuspended, "runPolicy.suspend is true: pods are removed, checkpoints stay", {}};
  }
  if (queue_of(view.job).empty()) return std::nullopt;
  if (!view.seen.platform.has_kueue) return hold_without_kueue(view);
  return hold_of_queue(view);
}

}  // namespace lockstep
