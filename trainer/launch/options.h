// The command line of lockstep-launch.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "trainer/contract.h"

namespace lockstep {

using Seconds = std::chrono::duration<double>;

struct Options {
  std::string nproc = "auto";           // auto | cpu | gpu | a number
  Seconds peer_grace{1.0};              // between SIGTERM and SIGKILL after a rank has failed
  std::optional<Seconds> grace;         // the same after a stop from outside
  std::optional<Seconds> hang_timeout;  // without any progress, until the ranks are ended
  bool standalone = false;
  int progress_port = contract::kProgressPort;  // 0: no progress page
  std::vector<std::string> command;             // the program and its arguments, untouched
  std::string answer;                           // of --help and --version: print it and exit 0
};

// Flags end at the first word that is no flag, or at `--`. Throws std::invalid_argument with one
// sentence for anything that cannot be understood.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace lockstep
