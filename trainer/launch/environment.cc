// The arithmetic of ranks; see environment.h.
#include "trainer/launch/environment.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "trainer/contract.h"

namespace lockstep {
namespace {

constexpr int kMostRanks = 1 << 20;
constexpr int kMostLocalRanks = 1024;

int number(const std::string& name, const std::string& text, int least, int most) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= least && value <= most) return value;
  throw std::invalid_argument(name + "=" + text + " is not a whole number from " +
                              std::to_string(least) + " to " + std::to_string(most));
}

std::optional<int> lookup_number(const Environment& node, const std::string& name, int least,
                                 int most) {
  const auto text = lookup(node, name);
  if (!text) return std::nullopt;
  return number(name, *text, least, most);
}

int given_processes(const std::string& text) {
  try {
    return number("--nproc", text, 1, kMostLocalRanks);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(std::string(error.what()) + ", nor auto, cpu or gpu");
  }
}

int processes(const Environment& node, const Options& options, const Machine& machine) {
  if (options.nproc == "cpu") return std::max(1, static_cast<int>(machine.cpus));
  if (options.nproc == "gpu") {
    if (machine.gpus > 0) return machine.gpus;
    throw std::invalid_argument("--nproc gpu: no GPU is visible here; use --nproc auto or cpu");
  }
  if (options.nproc != "auto") return given_processes(options.nproc);
  if (!options.standalone) {
    for (const char* name : {contract::kNprocPerNode, contract::kLocalWorldSize}) {
      if (lookup(node, name) == "auto") continue;
      if (const auto given = lookup_number(node, name, 1, kMostLocalRanks)) return *given;
    }
  }
  return std::max(1, machine.gpus);
}

void check_ranks(const NodePlan& plan) {
  const int last = plan.rank_offset + plan.local_world_size - 1;
  const bool whole_world = plan.nodes > 1 || plan.local_world_size == plan.world_size;
  if (last < plan.world_size && whole_world) return;
  throw std::invalid_argument("ranks " + std::to_string(plan.rank_offset) + " to " +
                              std::to_string(last) + " of this node (of " +
                              std::to_string(plan.nodes) +
                              ") do not fit WORLD_SIZE=" + std::to_string(plan.world_size) +
                              "; check --nproc, NPROC_PER_NODE and LOCKSTEP_RANK_OFFSET");
}

void place_among_nodes(NodePlan& plan, const Environment& node) {
  using namespace contract;
  plan.nodes = lookup_number(node, kNnodes, 1, kMostRanks).value_or(1);
  plan.node_rank = lookup_number(node, kNodeRank, 0, plan.nodes - 1).value_or(0);
  plan.rank_offset = lookup_number(node, kRankOffset, 0, kMostRanks)
                         .value_or(plan.node_rank * plan.local_world_size);
  plan.world_size =
      lookup_number(node, kWorldSize, 1, kMostRanks).value_or(plan.nodes * plan.local_world_size);
  check_ranks(plan);
  if (plan.nodes > 1 && !lookup(node, kMasterAddr)) {
    throw std::invalid_argument(
        "MASTER_ADDR is not set: with NNODES above 1 it (or --master-addr) names the host of rank "
        "0");
  }
  plan.master_addr = lookup(node, kMasterAddr).value_or("127.0.0.1");
  plan.master_port = lookup_number(node, kMasterPort, 1, 65535).value_or(kDefaultMasterPort);
}

}  // namespace

std::optional<std::string> lookup(const Environment& node, const std::string& name) {
  const auto found = node.find(name);
  if (found == node.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

Environment with_node_flags(Environment node, const Options& options) {
  using namespace contract;
  if (options.nnodes) node[kNnodes] = std::to_string(*options.nnodes);
  if (options.node_rank) node[kNodeRank] = std::to_string(*options.node_rank);
  if (!options.master_addr.empty()) node[kMasterAddr] = options.master_addr;
  if (options.master_port) node[kMasterPort] = std::to_string(*options.master_port);
  return node;
}

NodePlan plan_node(const Environment& node, const Options& options, const Machine& machine) {
  NodePlan plan;
  plan.local_world_size = processes(node, options, machine);
  if (options.standalone) {
    plan.world_size = plan.local_world_size;
    plan.master_addr = "127.0.0.1";
    plan.master_port = machine.free_port;
  } else {
    place_among_nodes(plan, node);
  }
  plan.restart_count = lookup_number(node, contract::kAttempt, 1, kMostRanks).value_or(1) - 1;
  plan.max_restarts = lookup(node, contract::kJobUid) ? 0 : options.max_restarts;
  plan.run_id = lookup(node, contract::kJobUid).value_or("none");
  plan.threads = std::max(1, static_cast<int>(machine.cpus / plan.local_world_size));
  return plan;
}

Environment worker_environment(const Environment& node, const NodePlan& plan, int local_rank) {
  Environment worker = node;
  const std::string rank = std::to_string(plan.rank_offset + local_rank);
  const std::string world_size = std::to_string(plan.world_size);
  worker["RANK"] = rank;
  worker["LOCAL_RANK"] = std::to_string(local_rank);
  worker["WORLD_SIZE"] = world_size;
  worker["LOCAL_WORLD_SIZE"] = std::to_string(plan.local_world_size);
  worker["GROUP_RANK"] = std::to_string(plan.node_rank);
  worker["GROUP_WORLD_SIZE"] = std::to_string(plan.nodes);
  worker["ROLE_RANK"] = rank;
  worker["ROLE_WORLD_SIZE"] = world_size;
  worker["ROLE_NAME"] = "default";
  worker["MASTER_ADDR"] = plan.master_addr;
  worker["MASTER_PORT"] = std::to_string(plan.master_port);
  worker["TORCHELASTIC_RESTART_COUNT"] = std::to_string(plan.restart_count);
  worker["TORCHELASTIC_MAX_RESTARTS"] = std::to_string(plan.max_restarts);
  worker["TORCHELASTIC_RUN_ID"] = plan.run_id;
  worker["TORCHELASTIC_USE_AGENT_STORE"] = "False";  // rank 0 serves the store itself
  worker.try_emplace("TORCH_NCCL_ASYNC_ERROR_HANDLING", "1");
  if (!lookup(node, "OMP_NUM_THREADS")) worker["OMP_NUM_THREADS"] = std::to_string(plan.threads);
  return worker;
}

Seconds stop_grace(const Environment& node, const Options& options) {
  if (options.grace) return *options.grace;
  return Seconds(lookup_number(node, contract::kGraceSeconds, 0, 86400).value_or(25));
}

Seconds hang_timeout(const Environment& node, const Options& options) {
  if (options.hang_timeout) return *options.hang_timeout;
  return Seconds(lookup_number(node, contract::kHangTimeout, 0, 86400).value_or(0));
}

}  // namespace lockstep
