// Rotation by size; see log_file.h.
#include "trainer/launch/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace lockstep {

LogFile::LogFile(std::filesystem::path path, std::uint64_t max_size)
    : path_(std::move(path)), max_size_(max_size) {
  open();
}

void LogFile::append(std::string_view lines) {
  while (!lines.empty()) {
    const std::uint64_t room = max_size_ > size_ ? max_size_ - size_ : 0;
    std::size_t end = lines.size();
    if (end > room) end = lines.substr(0, room).rfind('\n') + 1;
    if (end == 0 && size_ > 0) {
      rotate();
      continue;
    }
    if (end == 0) end = max_size_;  // a line longer than a file
    write_all(lines.substr(0, end));
    lines.remove_prefix(end);
  }
}

// O_NONBLOCK: a FIFO in the file's place must not be waited for.
void LogFile::open() {
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  file_ = Fd(::open(path_.c_str(), flags, 0644));
  if (!file_.is_open()) fail(errno, "open");
  struct stat status;
  if (fstat(file_.get(), &status) != 0) fail(errno, "open");
  if (!S_ISREG(status.st_mode)) fail(EINVAL, "open");
  size_ = static_cast<std::uint64_t>(status.st_size);
}

void LogFile::rotate() {
  file_.reset();
  if (std::rename(path_.c_str(), (path_.string() + ".1").c_str()) != 0) fail(errno, "rename");
  open();
}

void LogFile::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno, "write");
    size_ += count;
    bytes.remove_prefix(count);
  }
}

void LogFile::fail(int error, const char* what) const {
  throw std::system_error(error, std::generic_category(),
                          std::string("cannot ") + what + " " + path_.string());
}

}  // namespace lockstep
