// Asks the machine and fills in the launch; see prepare.h.
#include "trainer/launch/prepare.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cerrno>
#include <system_error>

#include "trainer/launch/accelerators.h"
#include "trainer/launch/addresses.h"
#include "trainer/launch/cpu_quota.h"
#include "trainer/launch/fd.h"
#include "trainer/launch/hosts.h"

namespace lockstep {
namespace {

// A loopback port that was free a moment ago.
int free_port() {
  const Fd probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(probe.get(), generic, size) != 0 || getsockname(probe.get(), generic, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "no free port for --standalone");
  }
  return ntohs(address.sin_port);
}

Machine look_at_machine(const Environment& environment, const Options& options) {
  const auto devices = environment.find("CUDA_VISIBLE_DEVICES");  // empty: none may be used
  return {
      usable_cpus(),
      visible_gpus(devices == environment.end() ? std::nullopt : std::optional(devices->second)),
      options.standalone ? free_port() : 0};
}

int own_rank(const std::vector<Host>& hosts) {
  std::vector<std::set<std::string>> addresses;
  for (const Host& host : hosts) addresses.push_back(addresses_of(host.name));
  return find_node_rank(hosts, addresses, this_machine());
}

void place(Environment& environment, Options& options) {
  const std::vector<Host> hosts = parse_hosts(options.hosts);
  const bool is_given = options.node_rank.value_or(kAutoNodeRank) != kAutoNodeRank;
  const int rank = is_given ? *options.node_rank : own_rank(hosts);
  environment = place_among(hosts, rank, options.nproc, environment);
  options.node_rank = rank;
  if (const auto count = hosts[rank].processes) options.nproc = std::to_string(*count);
}

LogSpec log_spec(const Node& node, int attempt) {
  std::filesystem::path parent = node.options.log_dir;
  const auto checkpoints = lookup(node.environment, contract::kCheckpointDir);
  if (parent.empty() && checkpoints) parent = std::filesystem::path(*checkpoints) / "logs";
  if (parent.empty() || node.options.log_max_size == 0) return {};
  return {parent / ("attempt-" + std::to_string(attempt)), node.options.log_max_size};
}

std::string preface(const Node& node, int restart) {
  if (restart > 0) {
    return "restart " + std::to_string(restart) + " of " + std::to_string(node.plan.max_restarts);
  }
  const bool is_ignored = node.options.max_restarts > node.plan.max_restarts;
  return is_ignored ? "--max-restarts is ignored here: the operator restarts the whole job" : "";
}

}  // namespace

Node prepare(Environment environment, Options options) {
  if (!options.hosts.empty()) place(environment, options);
  environment = with_node_flags(environment, options);
  const NodePlan plan = plan_node(environment, options, look_at_machine(environment, options));
  return {environment, options, plan};
}

LaunchSpec spec_of(const Node& node, int restart) {
  NodePlan plan = node.plan;
  plan.restart_count += restart;
  LaunchSpec spec;
  spec.command = node.options.command;
  spec.grace = stop_grace(node.environment, node.options);
  spec.peer_grace = node.options.peer_grace;
  spec.hang_timeout = hang_timeout(node.environment, node.options);
  spec.status = {.job = lookup(node.environment, contract::kJobName).value_or(""),
                 .uid = lookup(node.environment, contract::kJobUid).value_or(""),
                 .attempt = plan.restart_count + 1,
                 .node_rank = plan.node_rank,
                 .port = node.options.progress_port,
                 .is_public = node.environment.contains(contract::kJobUid)};
  spec.log = log_spec(node, plan.restart_count + 1);
  spec.preface = preface(node, restart);
  Environment environment = node.environment;
  // Then Python prints all its stacks when a hang ends it.
  if (spec.hang_timeout.count() > 0) environment.try_emplace("PYTHONFAULTHANDLER", "1");
  for (int local_rank = 0; local_rank < plan.local_world_size; ++local_rank) {
    spec.ranks.push_back(
        {plan.rank_offset + local_rank, worker_environment(environment, plan, local_rank)});
  }
  return spec;
}

}  // namespace lockstep
