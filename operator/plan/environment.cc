// The environment table.
#include "operator/plan/environment.h"

#include <algorithm>

#include "operator/api/fields.h"
#include "operator/plan/master.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using nlohmann::json;

// The kubelet expands $(NAME) and turns $$ into $.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '$') result += '$';
    result += c;
  }
  return result;
}

class Variables {
 public:
  void set(const char* name, const std::string& value) {
    list_.push_back({{"name", name}, {"value", escaped(value)}});
  }
  void set(const char* name, int value) { set(name, std::to_string(value)); }

  json list() && { return std::move(list_); }

 private:
  json list_ = json::array();
};

void set_ranks(Variables& variables, const Ranks& ranks, int node_rank) {
  const int processes = ranks.processes(node_rank);
  variables.set(contract::kNnodes, ranks.num_nodes());
  variables.set(contract::kNodeRank, node_rank);
  variables.set(contract::kNprocPerNode, processes);
  variables.set(contract::kLocalWorldSize, processes);
  variables.set(contract::kWorldSize, ranks.world_size());
  variables.set(contract::kRankOffset, ranks.offset(node_rank));
  if (processes == 1) {  // else the launcher sets them for each process
    variables.set(contract::kRank, ranks.offset(node_rank));
    variables.set(contract::kLocalRank, 0);
  }
}

// torchrun takes its flags from PET_*: an image that starts it works unchanged.
void set_torchrun(Variables& variables, const TrainingJob& job, const Ranks& ranks, int node_rank) {
  variables.set("PET_NNODES", ranks.num_nodes());
  variables.set("PET_NPROC_PER_NODE", ranks.processes(node_rank));
  variables.set("PET_NODE_RANK", node_rank);
  variables.set("PET_MASTER_ADDR", master_address(job));
  variables.set("PET_MASTER_PORT", master_port(job));
}

void set_job(Variables& variables, const TrainingJob& job) {
  variables.set(contract::kJobName, job.meta.name);
  variables.set(contract::kJobUid, job.meta.uid);
  variables.set(contract::kNamespace, job.meta.namespace_);
  variables.set(contract::kAttempt, job.status.attempt);
  if (!job.spec.config.is_null()) variables.set(contract::kConfig, job.spec.config.dump());
  if (job.spec.checkpoints) variables.set(contract::kCheckpointDir, job.spec.checkpoints->path);
}

}  // namespace

json environment(const TrainingJob& job, const Ranks& ranks, int node_rank, int grace_seconds) {
  Variables variables;
  variables.set(contract::kMasterAddr, master_address(job));
  variables.set(contract::kMasterPort, master_port(job));
  set_ranks(variables, ranks, node_rank);
  variables.set(contract::kGraceSeconds, std::max(1, grace_seconds - 5));
  variables.set(contract::kStartupSeconds, job.spec.run_policy.startup_deadline_seconds + 60);
  set_torchrun(variables, job, ranks, node_rank);
  set_job(variables, job);
  return std::move(variables).list();
}

json environment_of(const json& container, json ours) {
  const std::string path = fields::text(container, "terminationMessagePath");
  if (path.empty() || path == contract::kDefaultTerminationLog) return ours;
  ours.push_back({{"name", contract::kTerminationLog}, {"value", escaped(path)}});
  return ours;
}

json with_environment(const json& ours, const json& containers_own) {
  json all = ours;
  for (const json& entry : containers_own) {
    const bool is_ours = std::any_of(ours.begin(), ours.end(), [&](const json& each) {
      return each["name"] == fields::member(entry, "name");
    });
    if (!is_ours) all.push_back(entry);
  }
  return all;
}

}  // namespace lockstep
