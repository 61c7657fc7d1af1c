// Flags by CLI11; see options.h.
#include "trainer/launch/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "trainer/nearest.h"

namespace lockstep {
namespace {

constexpr char kDescription[] =
    "Runs a program once per local rank, with torchrun's environment variables.\n"
    "Node, ranks and master come from the environment (NNODES, NODE_RANK, NPROC_PER_NODE,\n"
    "LOCKSTEP_RANK_OFFSET, WORLD_SIZE, MASTER_ADDR, MASTER_PORT); without them it is one node.\n";

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

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

Seconds seconds_of(const std::string& flag, double value) {
  if (value >= 0 && value <= 86400) return Seconds(value);
  throw std::invalid_argument(flag + " must be 0 to 86400 seconds");
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  double peer_grace = options.peer_grace.count();
  double grace = 0;
  double hang_timeout = 0;
  CLI::App app(kDescription, "lockstep-launch");
  app.prefix_command();
  app.set_version_flag("--version", "lockstep-launch " LOCKSTEP_VERSION);
  app.add_option("--nproc", options.nproc,
                 "Processes on this node: auto (NPROC_PER_NODE, else one per GPU, else 1), cpu "
                 "(one per CPU), gpu (one per GPU) or a number");
  app.add_option("--peer-grace", peer_grace,
                 "Seconds from SIGTERM to SIGKILL once a rank has failed (1)");
  const CLI::Option* grace_flag =
      app.add_option("--grace", grace,
                     "Seconds to save after a stop from outside (LOCKSTEP_GRACE_SECONDS, else 25)");
  const CLI::Option* hang_flag =
      app.add_option("--hang-timeout", hang_timeout,
                     "End the ranks when none has reported progress for so many seconds "
                     "(LOCKSTEP_HANG_TIMEOUT, else 0: never)");
  app.add_flag("--standalone", options.standalone,
               "One node on a free port, whatever the environment says");
  app.add_option("--progress-port", options.progress_port,
                 "Port of /progress, /metrics and /healthz, on loopback only unless the operator "
                 "started the node (9790); 0: none");
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
  options.peer_grace = seconds_of("--peer-grace", peer_grace);
  if (grace_flag->count() > 0) options.grace = seconds_of("--grace", grace);
  if (hang_flag->count() > 0) options.hang_timeout = seconds_of("--hang-timeout", hang_timeout);
  if (options.progress_port < 0 || options.progress_port > 65535) {
    throw std::invalid_argument("--progress-port must be 0 to 65535");
  }
  options.command = command_of(app);
  return options;
}

}  // namespace lockstep
