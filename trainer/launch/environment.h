// From the node's environment to that of each rank. Pure: what it needs to know is given to it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "trainer/launch/options.h"

namespace lockstep {

using Environment = std::map<std::string, std::string>;

// A variable that is unset or empty is absent.
std::optional<std::string> lookup(const Environment& node, const std::string& name);

// What this node offers.
struct Machine {
  double cpus = 1;    // CPUs this process may use, a fraction under a cgroup quota
  int gpus = 0;       // devices the program would see
  int free_port = 0;  // for --standalone
};

// Where this node stands among the nodes. Ranks of the node are rank_offset ... rank_offset +
// local_world_size - 1, so nodes may run unequal numbers of processes.
struct NodePlan {
  int nodes = 1;
  int node_rank = 0;
  int local_world_size = 1;
  int rank_offset = 0;
  int world_size = 1;
  std::string master_addr;
  int master_port = 0;
  int restart_count = 0;  // attempts before this one
  int max_restarts = 0;   // in place, by this launcher: none where the operator does it
  std::string run_id;
  int threads = 1;  // OMP_NUM_THREADS where it is unset
};

// The node's variables with --nnodes, --node-rank, --master-addr and --master-port laid over them.
Environment with_node_flags(Environment node, const Options& options);

// Reads the operator's variables, with the defaults of one node. Throws std::invalid_argument with
// one sentence when a variable is no number, out of range, missing or contradicts another.
NodePlan plan_node(const Environment& node, const Options& options, const Machine& machine);

// The variables torchrun sets, laid over the node's. OMP_NUM_THREADS is a share of the node's CPUs
// unless it is set: torchrun's constant 1 leaves most of a node idle.
Environment worker_environment(const Environment& node, const NodePlan& plan, int local_rank);

// Seconds to save after a stop from outside: --grace, else LOCKSTEP_GRACE_SECONDS, else 25.
Seconds stop_grace(const Environment& node, const Options& options);

// Seconds without any progress that are allowed: --hang-timeout, else LOCKSTEP_HANG_TIMEOUT, else 0
// for any number.
Seconds hang_timeout(const Environment& node, const Options& options);

}  // namespace lockstep
