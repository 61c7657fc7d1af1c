// Starts one program in a process group of its own.
#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/launch/environment.h"
#include "trainer/launch/fd.h"

namespace lockstep {

struct Process {
  pid_t pid = -1;  // also its process group
  Fd out;          // what it writes to standard output and error, non-blocking
  Fd err;
};

// The program does not run. `code` is what a shell reports: 127 not found, 126 not executable;
// 70 when the system has no room for another process.
struct SpawnError : std::runtime_error {
  SpawnError(int code, const std::string& sentence) : std::runtime_error(sentence), code(code) {}
  int code;
};

// Looks the program up in PATH as a shell does. It gets an empty standard input, no blocked signal,
// and SIGKILL when the calling thread ends. Throws SpawnError.
Process spawn(const std::vector<std::string>& command, const Environment& environment);

}  // namespace lockstep
