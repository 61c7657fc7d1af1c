// `lockstep-train plan`: its flags, and what it prints.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "trainer/config/config.h"
#include "trainer/plan_report.h"

namespace lockstep {

// The flags as they came. Short forms of settings are `settings` of --set.
struct PlanFlags {
  ConfigSources sources;  // begin with environment_sources()
  std::string sampler{};
  std::optional<std::int64_t> samples{}, batch_size{}, accumulate{}, seed{};
  std::filesystem::path lengths{}, classes{}, weights{};
  PlanQuestion question{};
};

// Adds the subcommand, whose flags are written to `flags` when the command line is parsed.
CLI::App& add_plan_command(CLI::App& app, PlanFlags& flags);

// The document to print. Throws as load_config, read_numbers and plan_report do, and
// std::invalid_argument when the number of samples is not told or told differently.
std::string plan_document(const PlanFlags& flags);

}  // namespace lockstep
