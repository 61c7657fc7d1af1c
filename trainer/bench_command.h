// `lockstep-train bench`: its flags, and what it prints.
#pragma once

#include "trainer/bench_figures.h"
#include "trainer/config/config.h"

namespace CLI {
class App;
}

namespace lockstep {

struct BenchFlags {
  BenchPlan plan{};
  bool has_data = false;  // that of the configuration, in place of made-up
  bool is_json = false;
};

// Adds the flags to a command that takes settings.
void add_bench_flags(CLI::App& command, BenchFlags& flags);

// Rank 0 prints the figures on standard output; all else goes to standard error. Returns the exit
// code. Throws as run_bench.
int bench(const Config& config, const BenchFlags& flags);

}  // namespace lockstep
