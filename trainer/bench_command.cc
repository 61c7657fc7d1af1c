// Flags, and standard output kept for the result.
#include "trainer/bench_command.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "trainer/contract.h"
#include "trainer/group/place.h"
#include "trainer/log_line.h"
#include "trainer/run.h"

namespace lockstep {
namespace {

// While it lives, what is written to standard output goes to standard error.
class OutputAside {
 public:
  OutputAside() : kept_(dup(STDOUT_FILENO)) { dup2(STDERR_FILENO, STDOUT_FILENO); }
  ~OutputAside() {
    std::fflush(stdout);
    dup2(kept_, STDOUT_FILENO);
    close(kept_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int kept_;
};

std::optional<BenchFigures> measured(const Config& config, const BenchFlags& flags) {
  const OutputAside aside;
  return run_bench(config, flags.plan, flags.has_data);
}

}  // namespace

void add_bench_flags(CLI::App& command, BenchFlags& flags) {
  command.add_option("--steps", flags.plan.steps, "Steps that are measured")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--warmup", flags.plan.warmup, "Steps before them, after the first one")
      ->check(CLI::Range(0, 1'000'000));
  command.add_flag("--data", flags.has_data, "Read data.train, in place of data made up in memory");
  command.add_flag("--json", flags.is_json, "Print one JSON object");
}

int bench(const Config& config, const BenchFlags& flags) {
  auto figures = measured(config, flags);
  if (!figures) return contract::kExitStopped;
  if (place_in(variable).rank != 0) return contract::kExitFinished;
  figures->what += flags.has_data ? ", data of data.train" : ", made-up data";
  log_line(flags.is_json ? json_of(*figures) : table_of(*figures));
  return contract::kExitFinished;
}

}  // namespace lockstep
