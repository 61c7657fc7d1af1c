// lockstep-train: one rank of a training run. Flags, signals, and from an error to its exit code.
// Threads: the main thread trains; LibTorch owns the others.
#include <c10/util/Logging.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/config/config.h"
#include "trainer/contract.h"
#include "trainer/exit_code.h"
#include "trainer/export_command.h"
#include "trainer/group/peer_lost.h"
#include "trainer/log_line.h"
#include "trainer/plan_command.h"
#include "trainer/run.h"
#include "trainer/status/stacks.h"
#include "trainer/stop_signal.h"

namespace {

using namespace lockstep;

// LibTorch's warnings about host names and sockets help no user; its errors stay.
void quiet_libraries() {
  setenv("TORCH_CPP_LOG_LEVEL", "ERROR", /*overwrite=*/0);
  c10::initLogging();
}

void add_config_flags(CLI::App& command, ConfigSources& sources) {
  command.add_option("--config", sources.files, "YAML file of settings; may be repeated");
  command.add_option("--set", sources.overrides, "One setting: section.key=value; may be repeated");
}

CLI::App& add_export_command(CLI::App& app, ExportRequest& request) {
  CLI::App& command =
      *app.add_subcommand("export", "Write the weights of a checkpoint for other programs");
  command.add_option("--from", request.from, "Checkpoint directory")->required();
  command.add_option("--step", request.step, "A step, or best; default: the newest");
  command.add_option("--to", request.to, "FILE.safetensors, or FILE.pt for torch.load")->required();
  return command;
}

int run(const ConfigSources& sources) {
  end_on_stop_signal();
  write_stacks_on_request();
  const Outcome outcome = run_training(load_config(sources));
  return outcome == Outcome::kFinished ? contract::kExitFinished : contract::kExitStopped;
}

int explain(const ConfigSources& sources) {
  log_line(resolved(load_config(sources)));
  return contract::kExitFinished;
}

int evaluate(const ConfigSources& sources) {
  run_evaluation(load_config(sources));
  return contract::kExitFinished;
}

int export_to_file(const ExportRequest& request) {
  export_weights(request, log_line);
  return contract::kExitFinished;
}

int plan(const PlanFlags& flags) {
  log_line(plan_document(flags));
  return contract::kExitFinished;
}

int main_of(int argc, char** argv) {
  CLI::App app(
      "Trains a model on all ranks of a group. Settings come from LOCKSTEP_CONFIG, then\n"
      "--config files, then --set, the later one winning.",
      "lockstep-train");
  app.set_version_flag("--version", "lockstep-train " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  ConfigSources sources = environment_sources();
  CLI::App& run_command = *app.add_subcommand("run", "Train");
  CLI::App& eval_command = *app.add_subcommand("eval", "Evaluate the newest checkpoint");
  CLI::App& explain_command = *app.add_subcommand("explain", "Print every setting and its value");
  ExportRequest export_request;
  CLI::App& export_command = add_export_command(app, export_request);
  PlanFlags plan_flags{.sources = sources};
  CLI::App& plan_command = add_plan_command(app, plan_flags);
  add_config_flags(run_command, sources);
  add_config_flags(eval_command, sources);
  add_config_flags(explain_command, sources);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // --help or --version
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(std::string(error.what()) + "; see lockstep-train --help");
  }
  if (plan_command.parsed()) return plan(plan_flags);
  if (export_command.parsed()) return export_to_file(export_request);
  if (eval_command.parsed()) return evaluate(sources);
  return run_command.parsed() ? run(sources) : explain(sources);
}

}  // namespace

// After an error nothing is torn down: destroying a group that has lost a peer can hang.
int main(int argc, char** argv) {
  quiet_libraries();
  try {
    return main_of(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-train: %s\n", sentence_of(error).c_str());
    std::_Exit(exit_code_of(error));
  }
}
