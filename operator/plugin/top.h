// kubectl lockstep top: what each job does right now. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "operator/api/training_job.h"
#include "operator/plugin/table.h"

namespace lockstep {

struct JobNow {
  TrainingJob job;
  Progress progress;                        // of the nodes' pages, else of the status
  std::optional<NodeReport::Rank> slowest;  // of all nodes
};

// Of an object and the pages of its nodes, in the order of their ranks; "" for a node that said
// nothing. Waits are the longest of any node, since all others wait for it.
Result<JobNow> job_now(const nlohmann::json& job, const std::vector<std::string>& pages);

std::string top_table(const std::vector<JobNow>& jobs, bool with_namespace,
                      const Paint& paint = {});

}  // namespace lockstep
