// The command line of kubectl-lockstep.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "operator/base/result.h"
#include "operator/plugin/logs.h"

namespace lockstep {

struct CommandLine {
  std::string command;                  // "list", "describe", ...
  std::vector<std::string> connection;  // what every kubectl is told: --context=x, ...
  std::string job;
  bool all_namespaces = false;
  LogRequest logs;
  bool is_once = false;            // top: one table
  int timeout = 300;               // seconds, restart: how long each half may take
  std::string shell;               // completion
  std::vector<std::string> words;  // __complete: the words so far, the last one being typed
};

// What --help and --version ask for: to be printed, and then nothing else to be done.
struct Notice {
  std::string text;
};

// Errors: kInvalid, one sentence; for an unknown command or flag it names the nearest valid one.
Result<std::variant<CommandLine, Notice>> parse_command_line(int argc, const char* const* argv);

// For completion.
std::vector<std::string> command_names();
std::vector<std::string> flag_names(const std::string& command);  // with their dashes
bool takes_job(const std::string& command);
bool takes_value(const std::string& flag);

}  // namespace lockstep
