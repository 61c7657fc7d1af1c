// A log file that cannot fill a disk: at its largest size it takes another name and starts anew.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "trainer/launch/fd.h"

namespace lockstep {

// FILE and FILE.1, the part before it, are together at most twice `max_size` bytes. A file that is
// there already is continued. Only regular files are written to: never through a symbolic link in
// a folder that others may write to. Every call may take as long as the file system does.
class LogFile {
 public:
  // Throws std::system_error.
  LogFile(std::filesystem::path path, std::uint64_t max_size);

  // Whole lines. Cuts between them where it can. Throws std::system_error.
  void append(std::string_view lines);

 private:
  void open();
  void rotate();
  void write_all(std::string_view bytes);
  [[noreturn]] void fail(int error, const char* what) const;

  std::filesystem::path path_;
  std::uint64_t max_size_;
  Fd file_;
  std::uint64_t size_ = 0;
};

}  // namespace lockstep
