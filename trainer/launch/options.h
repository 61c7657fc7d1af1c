// The command line of lockstep-launch.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trainer/contract.h"

namespace lockstep {

using Seconds = std::chrono::duration<double>;

inline constexpr int kAutoNodeRank = -1;  // to be found in `hosts`

struct Options {
  std::string nproc = "auto";  // auto | cpu | gpu | a number
  bool standalone = false;
  std::string hosts;  // "a,b:4": replaces what the environment says about nodes
  std::optional<int> node_rank;
  std::optional<int> nnodes;
  std::string master_addr;
  std::optional<int> master_port;

  Seconds peer_grace{1.0};              // between SIGTERM and SIGKILL after a rank has failed
  std::optional<Seconds> grace;         // the same after a stop from outside
  std::optional<Seconds> hang_timeout;  // without any progress, until the ranks are ended
  int max_restarts = 0;                 // of this node's ranks, in place

  std::filesystem::path log_dir;                // empty: $CHECKPOINT_DIR/logs, if that is set
  std::uint64_t log_max_size = 64ULL << 20;     // bytes of one log file; 0: no log files
  int progress_port = contract::kProgressPort;  // 0: no progress page

  std::vector<std::string> command;  // the program and its arguments, untouched
  std::string answer;                // of --help and --version: print it and exit 0
};

// Flags end at the first word that is no flag, or at `--`. Throws std::invalid_argument with one
// sentence for anything that cannot be understood.
Options parse_options(const std::vector<std::string>& arguments);

}  // namespace lockstep
