// Finds lost nodes and names the first cause.
#include "operator/plan/loss.h"

#include <algorithm>
#include <csignal>
#include <tuple>

#include "operator/base/text.h"
#include "operator/plan/disruption.h"
#include "operator/plan/exit_codes.h"
#include "operator/plan/last_words.h"
#include "operator/plan/ownership.h"

namespace lockstep {
namespace {

using std::chrono::seconds;

constexpr std::size_t kLongestMessage = 2048;
constexpr std::size_t kLongestReason = 256;
constexpr seconds kSettleCause{1};  // the other nodes' last words are on their way
constexpr seconds kSettleHang{5};   // the others hang as well, and end within seconds
constexpr seconds kSettleFollowOn{
    60};  // the node controller takes 40 s and more to mark a dead machine
constexpr seconds kSettleAlone{5};  // only its own pod can say more

LossKind kind_of(ExitMeaning meaning) {
  switch (meaning) {
    case ExitMeaning::kPermanent:
      return LossKind::kPermanentFailure;
    case ExitMeaning::kFollowOn:
      return LossKind::kFollowOn;
    case ExitMeaning::kFailure:
      break;
  }
  return LossKind::kFailure;
}

// The evidence without its cause: which node of which attempt.
LastFailure place(const Observed& seen, const Nodes& nodes, int rank) {
  LastFailure where;
  where.attempt = seen.job.status.attempt;
  where.node_rank = rank;
  where.pod = pod_name(seen.job, rank);
  if (nodes.current[rank]) where.node = nodes.current[rank]->node_name;
  return where;
}

Loss disruption(LastFailure where, const std::string& reason, const std::string& message) {
  where.reason = head(reason, kLongestReason);
  where.message = tail(message, kLongestMessage);
  return {.kind = LossKind::kDisruption, .evidence = std::move(where), .died = {}};
}

// The end of the container that made the pod fail: the trainer's, else an init container's.
const ContainerState::Terminated* failed_end(const Pod& pod) {
  const ContainerState* failed = trainer_of(pod);
  if (!failed || !failed->terminated) failed = failed_init_container(pod);
  return failed ? &*failed->terminated : nullptr;
}

Loss failed_container(LastFailure where, const ContainerState::Terminated& end) {
  where.exit_code = end.exit_code;
  where.signal = end.signal;
  where.reason = head(end.reason, kLongestReason);
  where.message = tail(printable(end.message), kLongestMessage);
  where.finished_at = end.finished;
  LossKind kind = kind_of(meaning_of(end));
  std::optional<Time> died = end.finished;
  std::optional<NodeReport::Rank> hang;
  if (const auto words = parse_last_words(end.message)) {
    // A launcher that could still write was not killed itself: the kernel killed one of its
    // processes.
    if (words->signal == SIGKILL) kind = LossKind::kFailure;
    where.rank = words->rank;
    where.exit_code = words->exit_code;
    where.signal = words->signal;
    where.message = tail(printable(words->text), kLongestMessage);
    if (words->time) died = words->time;
    hang = words->hang;
  }
  return {.kind = kind, .evidence = std::move(where), .died = died, .hang = std::move(hang)};
}

Loss disrupted_pod(const Pod& pod, LastFailure where) {
  const PodCondition* target = condition_of(pod, "DisruptionTarget");
  if (target && target->status)
    return disruption(std::move(where), target->reason, target->message);
  if (!pod.reason.empty()) return disruption(std::move(where), pod.reason, pod.message);
  return disruption(std::move(where), "PodDeleted", "the pod was deleted");
}

std::optional<Loss> loss_of(const Pod& pod, const LastFailure& where) {
  if (has_succeeded(pod)) return std::nullopt;
  if (is_disrupted(pod) || pod.meta.deletion_time) return disrupted_pod(pod, where);
  if (!has_failed(pod)) return std::nullopt;
  if (const auto* end = failed_end(pod)) return failed_container(where, *end);
  return disrupted_pod(pod, where);  // failed without any container's fault
}

bool is_gone(const Observed& seen, const Nodes& nodes, int rank) {
  if (!seen.job.status.pods_created || nodes.current[rank] != nullptr) return false;
  const std::string name = "Pod " + pod_name(seen.job, rank);
  return seen.gone_ranks.contains(rank) ||
         std::find(nodes.foreign.begin(), nodes.foreign.end(), name) != nodes.foreign.end();
}

// The node controller marks the pods of a machine that it lost. Beside a follow-on that explains
// it.
bool is_on_a_silent_machine(const Pod& pod) {
  const PodCondition* ready = condition_of(pod, "Ready");
  const ContainerState* trainer = trainer_of(pod);
  return ready && !ready->status && trainer && trainer->started && !trainer->terminated;
}

void add_silent_machines(const Observed& seen, const Nodes& nodes, std::vector<Loss>& losses) {
  const bool only_follow_ons =
      !losses.empty() && std::all_of(losses.begin(), losses.end(), [](const Loss& loss) {
        return loss.kind == LossKind::kFollowOn;
      });
  if (!only_follow_ons) return;
  for (int rank = 0; rank < seen.job.spec.num_nodes; ++rank) {
    const Pod* pod = nodes.current[rank];
    if (!pod || !is_on_a_silent_machine(*pod)) continue;
    losses.push_back(disruption(place(seen, nodes, rank), "NodeNotReady",
                                "the machine of the pod does not answer"));
  }
}

// Of those that hang.
const Loss& furthest_behind(const std::vector<Loss>& losses) {
  return *std::min_element(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) {
    return a.hang && (!b.hang || is_behind(*a.hang, *b.hang));
  });
}

}  // namespace

std::vector<Loss> lost_nodes(const Observed& seen, const Nodes& nodes) {
  std::vector<Loss> losses;
  for (int rank = 0; rank < seen.job.spec.num_nodes; ++rank) {
    const Pod* pod = nodes.current[rank];
    LastFailure where = place(seen, nodes, rank);
    if (pod) {
      if (std::optional<Loss> loss = loss_of(*pod, where)) losses.push_back(std::move(*loss));
    } else if (is_gone(seen, nodes, rank)) {
      losses.push_back(disruption(std::move(where), "PodGone", "the pod no longer exists"));
    }
  }
  add_silent_machines(seen, nodes, losses);
  return losses;
}

const Loss& root_cause(const std::vector<Loss>& losses) {
  const auto precedence = [](const Loss& loss) {
    // Failures and permanent ones are believed alike: whoever died first.
    const LossKind kind = loss.kind == LossKind::kPermanentFailure ? LossKind::kFailure : loss.kind;
    return std::tuple(kind, loss.died.value_or(Time::max()), loss.evidence.node_rank);
  };
  const Loss& first = *std::min_element(
      losses.begin(), losses.end(),
      [&](const Loss& a, const Loss& b) { return precedence(a) < precedence(b); });
  return first.hang ? furthest_behind(losses) : first;
}

Others others_of(const Nodes& nodes, const std::vector<Loss>& losses) {
  const int count = static_cast<int>(nodes.current.size());
  if (count == 1) return Others::kNone;
  return count > static_cast<int>(losses.size()) + nodes.succeeded() ? Others::kRun
                                                                     : Others::kEnded;
}

Time settles_at(const Loss& root, Others others, Time now) {
  if (root.kind == LossKind::kDisruption || !root.died) return now;
  const bool is_follow_on = root.kind == LossKind::kFollowOn;
  if (!is_follow_on && others != Others::kRun) return now;
  const Time since = root.hang ? root.evidence.finished_at.value_or(*root.died) : *root.died;
  const seconds wait = root.hang                 ? kSettleHang
                       : !is_follow_on           ? kSettleCause
                       : others == Others::kNone ? kSettleAlone
                                                 : kSettleFollowOn;
  // A clock that is ahead of ours by more than the wait says nothing.
  return since > now + wait ? now : since + wait;
}

}  // namespace lockstep
