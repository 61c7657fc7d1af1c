// lockstep-launch: one process per local rank of this node, as process 1 of a pod or by hand.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "trainer/contract.h"
#include "trainer/launch/accelerators.h"
#include "trainer/launch/cpu_quota.h"
#include "trainer/launch/fd.h"
#include "trainer/launch/launcher.h"
#include "trainer/launch/signals.h"
#include "trainer/launch/termination_message.h"

namespace {

using namespace lockstep;

Environment process_environment() {
  Environment environment;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
      environment[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return environment;
}

std::optional<std::string> lookup(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::nullopt : std::optional(found->second);
}

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

LaunchSpec prepare(Environment environment, const Options& options) {
  const Machine machine = {usable_cpus(), visible_gpus(lookup(environment, "CUDA_VISIBLE_DEVICES")),
                           options.standalone ? free_port() : 0};
  const NodePlan plan = plan_node(environment, options, machine);
  LaunchSpec spec;
  spec.command = options.command;
  spec.grace = stop_grace(environment, options);
  spec.peer_grace = options.peer_grace;
  spec.hang_timeout = hang_timeout(environment, options);
  spec.status = {.job = lookup(environment, contract::kJobName).value_or(""),
                 .attempt = plan.restart_count + 1,
                 .node_rank = plan.node_rank,
                 .port = options.progress_port,
                 .is_public = environment.contains(contract::kJobUid)};
  // Then Python prints all its stacks when a hang ends it.
  if (spec.hang_timeout.count() > 0) environment.try_emplace("PYTHONFAULTHANDLER", "1");
  for (int local_rank = 0; local_rank < plan.local_world_size; ++local_rank) {
    spec.ranks.push_back(
        {plan.rank_offset + local_rank, worker_environment(environment, plan, local_rank)});
  }
  return spec;
}

int run(const std::vector<std::string>& arguments) {
  const Options options = parse_options(arguments);
  if (!options.answer.empty()) {
    std::cout << options.answer;
    return contract::kExitFinished;
  }
  const Environment environment = process_environment();
  const Outcome outcome = launch(prepare(environment, options));
  if (outcome.verdict.culprit) {
    write_termination_message(
        lookup(environment, "LOCKSTEP_TERMINATION_LOG").value_or(contract::kTerminationLog),
        termination_message(*outcome.verdict.culprit, outcome.last_lines));
  }
  return outcome.verdict.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  lockstep::hold_signals();
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::invalid_argument& error) {
    std::cerr << "lockstep-launch: " << error.what() << "\n";
    return contract::kExitUsage;
  } catch (const std::exception& error) {
    std::cerr << "lockstep-launch: " << error.what() << "\n";
    return contract::kExitInternal;
  }
}
