// Runs a program as the ranks of one group: real processes that meet over loopback.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace lockstep::testing {

// How a rank ended, and all it printed (standard output and error together).
struct Exit {
  int code = -1;   // exit code, -1 when a signal ended it
  int signal = 0;  // that signal
  std::string output;

  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

using Variables = std::map<std::string, std::string>;

// Starts the ranks at construction; whatever still runs is killed at destruction.
class Ranks {
 public:
  // `variables` are laid over RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT, which
  // name a free port.
  Ranks(const std::vector<std::string>& command, int size, const Variables& variables = {});
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  // Starts one more process, whose variables say which rank it is; returns its index.
  std::size_t start(const std::vector<std::string>& command, Variables variables);

  void send(std::size_t rank, int signal);

  // Reads until `rank` has printed `text`; false when it ends, or a minute passes, before that.
  bool has_said(std::size_t rank, const std::string& text);

  // All exits, by index. A rank that still runs after a minute is killed, which its signal shows.
  std::vector<Exit> wait();

  const std::string& port() const { return port_; }

 private:
  struct Process {
    pid_t pid = 0;
    int pipe = -1;
    Exit exit;
  };
  using Clock = std::chrono::steady_clock;
  bool read_some(Clock::time_point deadline);
  void reap(Process& process);

  std::string port_;
  std::vector<Process> processes_;
};

// The exits of `size` ranks of `command`.
std::vector<Exit> run_ranks(const std::vector<std::string>& command, int size,
                            const Variables& variables = {});

}  // namespace lockstep::testing
