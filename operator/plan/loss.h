// A lost node, what it says about why, and which of several lost nodes was the cause.
#pragma once

#include <optional>
#include <vector>

#include "operator/api/training_job.h"
#include "operator/plan/nodes.h"

namespace lockstep {

// In the order in which they are believed.
enum class LossKind {
  kDisruption,  // evicted, preempted, deleted, gone with its machine: not the program's doing
  kFailure,
  kPermanentFailure,
  kFollowOn,  // the node ended because another did
};

struct Loss {
  LossKind kind = LossKind::kFailure;
  LastFailure evidence = {};
  std::optional<Time> died = {};              // as exactly as is known; absent: only just seen
  std::optional<NodeReport::Rank> hang = {};  // its launcher ended it because no rank went on
};

// Every lost node of the current attempt, by rank.
std::vector<Loss> lost_nodes(const Observed& seen, const Nodes& nodes);

// The one that explains the others: by kind, then who died first. Nodes that hang fall silent
// together, so of these it is the one whose rank is furthest behind. `losses` is not empty.
const Loss& root_cause(const std::vector<Loss>& losses);

// What the nodes beside the lost ones do: some run and may say more, all have ended, or the job has
// one node only.
enum class Others { kRun, kEnded, kNone };
Others others_of(const Nodes& nodes, const std::vector<Loss>& losses);

// Until when to wait for better evidence before acting on `root`; in the past when there is nothing
// to wait for.
Time settles_at(const Loss& root, Others others, Time now);

}  // namespace lockstep
