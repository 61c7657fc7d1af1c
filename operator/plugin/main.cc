// kubectl-lockstep: the command line, the terminal, and the exit code. Invoked as
// kubectl_complete-lockstep it is kubectl's completion of `kubectl lockstep`.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "operator/plugin/commands.h"
#include "trainer/contract.h"

namespace lockstep {
namespace {

using Run = Result<int> (*)(const Session&);

struct Known {
  std::string_view name;
  Run run;
};

constexpr Known kCommands[] = {{"list", list},
                               {"describe", describe},
                               {"logs", logs},
                               {"top", top},
                               {"suspend", suspend},
                               {"resume", resume},
                               {"restart", restart},
                               {"doctor", doctor},
                               {"completion", completion},
                               {"__complete", complete}};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

int complain(const Error& error) {
  std::cerr << "kubectl lockstep: " << error.message << "\n";
  return exit_code(error);
}

int carry_out(const CommandLine& line) {
  const std::string program = environment("KUBECTL");
  const Kubectl kubectl(program.empty() ? "kubectl" : program, line.connection);
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  const bool is_coloured =
      is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  const Session session{kubectl, line, Paint{is_coloured}, is_terminal};
  for (const Known& command : kCommands) {
    if (command.name != line.command) continue;
    const Result<int> code = command.run(session);
    return code ? *code : complain(code.error());
  }
  return contract::kExitInternal;
}

int start(int argc, const char* const* argv) {
  const auto line = parse_command_line(argc, argv);
  if (!line) return complain(line.error());
  if (const auto* notice = std::get_if<Notice>(&*line)) {
    std::cout << notice->text;
    return contract::kExitFinished;
  }
  return carry_out(std::get<CommandLine>(*line));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const bool completes =
      argc > 0 && std::string_view(argv[0]).ends_with("kubectl_complete-lockstep");
  if (!completes) return lockstep::start(argc, argv);
  lockstep::CommandLine line;
  line.command = "__complete";
  line.words.assign(argv + 1, argv + argc);
  return lockstep::carry_out(line);
}
