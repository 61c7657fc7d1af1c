// Programs run side by side, and what they print. Never through a shell.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The first is the program, looked up in PATH unless it has a slash.
using Command = std::vector<std::string>;

struct Ended {
  int code = 0;  // exit status; 128 + the signal that ended it; 127 when it could not be started
  std::string out;
  std::string err;
};

// A program that prints more or runs longer is killed.
struct Limits {
  std::size_t bytes = std::size_t{1} << 30;                 // of each stream
  std::chrono::milliseconds time{std::chrono::minutes(2)};  // a login in a browser fits in
  std::size_t at_once = 8;
};

// Runs all of them, a few at once; answers in their order. They read this program's standard input.
std::vector<Ended> run_all(const std::vector<Command>& commands, const Limits& limits = {});
Ended run(const Command& command, const Limits& limits = {});

// Hands on what the program prints while it runs; its standard error is this program's. Returns its
// exit status as above.
int stream(const Command& command, const std::function<void(std::string_view)>& on_out);

// Several programs like that, each under a name. Those that run at the end get SIGTERM.
class Streams {
 public:
  using OnOut = std::function<void(const std::string& name, std::string_view bytes)>;
  using OnEnd = std::function<void(const std::string& name, int code)>;

  Streams() = default;
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // False when it cannot be started. No other of that name runs.
  bool start(const std::string& name, const Command& command);
  bool runs(const std::string& name) const { return running_.contains(name); }
  std::size_t count() const { return running_.size(); }

  // Waits until one prints or ends, for `patience` at most.
  void serve(std::chrono::milliseconds patience, const OnOut& on_out, const OnEnd& on_end);

 private:
  struct Running {
    pid_t pid;
    int out;
  };
  std::map<std::string, Running> running_;
};

}  // namespace lockstep
