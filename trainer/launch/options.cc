// From words to Options; see options.h.
#include "trainer/launch/options.h"

#include <CLI/CLI.hpp>
#include <stdexcept>

#include "trainer/launch/flags.h"
#include "trainer/nearest.h"

namespace lockstep {
namespace {

constexpr char kDescription[] =
    "Runs a program once per local rank, with torchrun's environment variables.\n"
    "Node, ranks and master come from the environment (NNODES, NODE_RANK, NPROC_PER_NODE,\n"
    "LOCKSTEP_RANK_OFFSET, WORLD_SIZE, MASTER_ADDR, MASTER_PORT) or from flags; without them it "
    "is\n"
    "one node.\n";

// What the parser left over: the command, which starts with a flag only when that is unknown.
std::vector<std::string> command_of(const CLI::App& app) {
  std::vector<std::string> rest = app.remaining();
  if (!rest.empty() && rest.front() == "--") {
    rest.erase(rest.begin());
  } else if (!rest.empty() && rest.front().starts_with("-")) {
    const std::string name = rest.front().substr(0, rest.front().find('='));
    throw std::invalid_argument("unknown flag " + name + ": " + suggestion(name, flag_names(app)));
  }
  if (rest.empty()) {
    throw std::invalid_argument("no program given: lockstep-launch [flags] -- program args...");
  }
  return rest;
}

// Each of --hosts, --standalone and --nnodes says which nodes there are.
void check_nodes(const Options& options) {
  const bool has_hosts = !options.hosts.empty();
  const bool has_master = !options.master_addr.empty();
  if (has_hosts && (options.standalone || options.nnodes || has_master)) {
    throw std::invalid_argument(
        "--hosts names all nodes and the master: leave out --standalone, --nnodes and "
        "--master-addr");
  }
  if (options.standalone && (options.nnodes.value_or(1) != 1 || has_master || options.master_port ||
                             options.node_rank.value_or(0) != 0)) {
    throw std::invalid_argument(
        "--standalone is one node on a free port: leave out --nnodes, --node-rank, --master-addr "
        "and --master-port");
  }
  if (options.node_rank == kAutoNodeRank && !has_hosts) {
    throw std::invalid_argument("--node-rank auto needs --hosts, the list to look this node up in");
  }
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app(kDescription, "lockstep-launch");
  app.prefix_command();
  app.set_version_flag("--version", "lockstep-launch " LOCKSTEP_VERSION);
  declare_flags(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    options.answer = app.help();
    return options;
  } catch (const CLI::CallForVersion& version) {
    options.answer = std::string(version.what()) + "\n";
    return options;
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(std::string(error.what()) + "; see lockstep-launch --help");
  }
  check_nodes(options);
  options.command = command_of(app);
  return options;
}

}  // namespace lockstep
