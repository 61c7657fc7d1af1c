// lockstep-train: one rank of a training run. Flags, signals, and from an error to its exit code.
// Threads: the main thread trains; others make batches and write checkpoints, the rest is
// LibTorch's.
#include <c10/util/Logging.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "trainer/bench_command.h"
#include "trainer/config/config.h"
#include "trainer/contract.h"
#include "trainer/doctor/doctor_command.h"
#include "trainer/exit_code.h"
#include "trainer/export_command.h"
#include "trainer/export_script.h"
#include "trainer/group/peer_lost.h"
#include "trainer/log_line.h"
#include "trainer/new_plugin.h"
#include "trainer/open_files.h"
#include "trainer/plan_command.h"
#include "trainer/run.h"
#include "trainer/speed/trace.h"
#include "trainer/status/stacks.h"
#include "trainer/stop_signal.h"

namespace {

using namespace lockstep;

// LibTorch's warnings about host names and sockets, and what its profiler says, help no user;
// LibTorch's errors stay.
void quiet_libraries() {
  setenv("TORCH_CPP_LOG_LEVEL", "ERROR", /*overwrite=*/0);
  setenv("KINETO_LOG_LEVEL", "99", /*overwrite=*/0);  // it even calls a missing GPU an error
  c10::initLogging();
}

// What the command line asks for: returns the exit code.
using Task = std::function<int()>;

// A command whose settings come from LOCKSTEP_CONFIG, --config and --set.
template <typename Work>
CLI::App& add_config_command(CLI::App& app, Task& task, const std::string& name,
                             const std::string& description, const Work& work) {
  CLI::App& command = *app.add_subcommand(name, description);
  const auto sources = std::make_shared<ConfigSources>(environment_sources());
  command.add_option("--config", sources->files, "YAML file of settings; may be repeated");
  command.add_option("--set", sources->overrides,
                     "One setting: section.key=value; may be repeated");
  command.callback(
      [&task, sources, work] { task = [sources, work] { return work(load_config(*sources)); }; });
  return command;
}

int run(const Config& config) {
  end_on_stop_signal();
  write_stacks_on_request();
  note_trace_requests();
  raise_open_files_limit();
  const Outcome outcome = run_training(config);
  return outcome == Outcome::kFinished ? contract::kExitFinished : contract::kExitStopped;
}

int rehearse(const Config& config) {
  end_on_stop_signal();
  run_rehearsal(config);
  return contract::kExitFinished;
}

void add_run(CLI::App& app, Task& task) {
  const auto is_dry = std::make_shared<bool>(false);
  add_config_command(app, task, "run", "Train", [is_dry](const Config& config) {
    return *is_dry ? rehearse(config) : run(config);
  }).add_flag("--dry-run", *is_dry, "Try everything, train a few steps, keep nothing");
}

void add_bench(CLI::App& app, Task& task) {
  const auto flags = std::make_shared<BenchFlags>();
  add_bench_flags(
      add_config_command(app, task, "bench", "Measure steps and where their time goes",
                         [flags](const Config& config) { return bench(config, *flags); }),
      *flags);
}

int evaluate(const Config& config) {
  run_evaluation(config);
  return contract::kExitFinished;
}

int explain(const Config& config) {
  log_line(resolved(config));
  return contract::kExitFinished;
}

void add_doctor(CLI::App& app, Task& task) {
  const auto as_json = std::make_shared<bool>(false);
  add_config_command(app, task, "doctor", "Check machine, network, storage, data and settings",
                     [as_json](const Config& config) { return run_doctor(config, *as_json); })
      .add_flag("--json", *as_json, "Print one JSON object");
}

void add_export(CLI::App& app, Task& task) {
  CLI::App& command =
      *app.add_subcommand("export", "Write the weights or the model of a checkpoint");
  const auto request = std::make_shared<ExportRequest>();
  command.add_option("--from", request->from, "Checkpoint directory")->required();
  command.add_option("--step", request->step, "A step, or best; default: the newest");
  command
      .add_option("--to", request->to,
                  "Weights: FILE.safetensors, or FILE.pt for torch.load. The model: "
                  "FILE.torchscript.pt for torch.jit.load")
      ->required();
  command.add_option("--set", request->overrides,
                     "Of the model: a setting that differs from the run's, as model.file=...");
  command.callback([&task, request] {
    task = [request] {
      is_script_name(request->to) ? export_script(*request, log_line)
                                  : export_weights(*request, log_line);
      return contract::kExitFinished;
    };
  });
}

void add_plan(CLI::App& app, Task& task) {
  const auto flags = std::make_shared<PlanFlags>(PlanFlags{.sources = environment_sources()});
  add_plan_command(app, *flags).callback([&task, flags] {
    task = [flags] {
      log_line(plan_document(*flags));
      return contract::kExitFinished;
    };
  });
}

void add_new_plugin(CLI::App& app, Task& task) {
  CLI::App& command = *app.add_subcommand(
      "new-plugin", "Write a model of your own to begin with, and how to build it");
  const auto directory = std::make_shared<std::filesystem::path>();
  command.add_option("DIR", *directory, "A new or empty directory")->required();
  command.callback([&task, directory] {
    task = [directory] {
      log_line(write_new_plugin(*directory));
      return contract::kExitFinished;
    };
  });
}

Task task_of(int argc, char** argv) {
  Task task;
  CLI::App app(
      "Trains a model on all ranks of a group. Settings come from LOCKSTEP_CONFIG, then\n"
      "--config files, then --set, the later one winning.",
      "lockstep-train");
  app.set_version_flag("--version", "lockstep-train " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  add_run(app, task);
  add_bench(app, task);
  add_config_command(app, task, "eval", "Evaluate the newest checkpoint", evaluate);
  add_config_command(app, task, "explain", "Print every setting and its value", explain);
  add_doctor(app, task);
  add_export(app, task);
  add_plan(app, task);
  add_new_plugin(app, task);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // --help or --version
    return [code = app.exit(wish)] { return code; };
  } catch (const CLI::ParseError& error) {
    throw std::invalid_argument(std::string(error.what()) + "; see lockstep-train --help");
  }
  return task;
}

}  // namespace

// After an error the process ends at once: what static objects would still do can hang.
int main(int argc, char** argv) {
  quiet_libraries();
  try {
    return task_of(argc, argv)();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-train: %s\n", sentence_of(error).c_str());
    std::_Exit(exit_code_of(error));
  }
}
