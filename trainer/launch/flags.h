// The flags of lockstep-launch: names, words of --help, where their values go.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "trainer/launch/options.h"

namespace lockstep {

// Declares all flags on `app`, which writes into `options` when it parses. A value out of range
// makes that parse throw std::invalid_argument. Flags with dashes are also known with underscores,
// as torchrun's are.
void declare_flags(CLI::App& app, Options& options);

// As they stand in --help: "--nproc", "--nproc-per-node", ...
std::vector<std::string> flag_names(const CLI::App& app);

}  // namespace lockstep
