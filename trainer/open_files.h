// The limit on open files of this process: a socket for each peer, a file for each loader thread.
#pragma once

#include <cstdint>

namespace lockstep {

struct OpenFilesLimit {
  std::uint64_t soft = 0;  // what holds now
  std::uint64_t hard = 0;  // what the process may raise it to
};

OpenFilesLimit open_files_limit();

// Raises the soft limit to the hard one, as servers do: the soft one is low for the sake of
// programs that use select(), which nothing here does. Does nothing where the system refuses.
void raise_open_files_limit();

}  // namespace lockstep
