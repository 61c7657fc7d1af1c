// Programs run side by side, and what they print. Never through a shell.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
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
};

// Runs all of them, a few at once; answers in their order. They read this program's standard input.
std::vector<Ended> run_all(const std::vector<Command>& commands, const Limits& limits = {});
Ended run(const Command& command, const Limits& limits = {});

// Hands on what the program prints while it runs; its standard error is this program's. Returns its
// exit status as above.
int stream(const Command& command, const std::function<void(std::string_view)>& on_out);

}  // namespace lockstep
