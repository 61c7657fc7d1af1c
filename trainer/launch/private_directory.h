// Where the FIFOs of a launcher are.
#pragma once

#include <filesystem>

#include "trainer/launch/fd.h"

namespace lockstep {

// A directory for this user alone, in TMPDIR, /tmp or /dev/shm, removed with what it holds.
//
// A launcher that is killed leaves its directory behind; the next one of the same user removes it.
// Each holds a lock, flock(2), on its own: the kernel gives it back whatever the end, so that the
// dead are told from the living even in other PID namespaces, where a process id says nothing.
class PrivateDirectory {
 public:
  PrivateDirectory();  // throws std::system_error when there is no place for one
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory&) = delete;
  PrivateDirectory& operator=(const PrivateDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  bool make_in(const std::filesystem::path& parent);

  std::filesystem::path path_;
  Fd lock_;
};

}  // namespace lockstep
