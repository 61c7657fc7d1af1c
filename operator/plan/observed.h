// Everything decide() looks at: what one job and its objects looked like at one instant.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "operator/api/core.h"
#include "operator/api/training_job.h"
#include "operator/plan/platform.h"

namespace lockstep {

enum class Refusal {
  kForNow,     // quota, permission, policy: the same request may be accepted later
  kNameTaken,  // an object of that name exists and another owner controls it
  kForGood,    // the object is invalid, and will be
};

// A create that the API server refused in a way that repeating it at once will not change.
struct RefusedCreate {
  int attempt = 0;   // the attempt of the job when it was refused
  std::string what;  // "Pod fashion-1", "Service fashion"
  Refusal kind = Refusal::kForNow;
  std::string message;  // the API server's words
};

// An object that belongs to no namespace.
struct ClusterObject {
  Resource resource;
  std::string name;
  auto operator<=>(const ClusterObject&) const = default;
};

struct Observed {
  TrainingJob job;
  std::vector<Pod> pods;              // labelled with this job's name, whoever owns them
  std::vector<Companion> companions;  // likewise
  std::set<int> gone_ranks;  // node ranks of ranks_to_confirm() for which a live GET answered 404
  // Those of objects_to_read() (admission.h) that exist, as a live GET answered.
  std::map<ClusterObject, nlohmann::json> cluster_objects;
  std::optional<Reports> reports;  // what the nodes told of their progress; absent: not asked yet
  // What the creates of the last plan met. The caller plans again at once after a refusal, and
  // forgets it then.
  std::vector<RefusedCreate> refused;
  Platform platform;
};

// Node ranks that the cache lacks although their pods were seen once. Before decide() may call such
// a node lost, the caller must ask the API server for pod_name(job, rank) and record a 404 in
// `gone_ranks`; a pod found that way belongs in `pods`.
std::vector<int> ranks_to_confirm(const TrainingJob& job, const std::vector<Pod>& pods);

}  // namespace lockstep
