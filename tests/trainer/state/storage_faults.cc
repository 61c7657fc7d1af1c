// The linker prefers these definitions to the C library's, for our code and for libstdc++ alike.
#include "tests/trainer/state/storage_faults.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <set>
#include <string>

namespace {

enum class Mode { kNone, kDie, kFail, kShorten };

struct State {
  Mode mode = Mode::kNone;
  long changes = 0;
  long at = 0;
  int error = 0;
  std::set<std::string> unsynced;
};
State state;

std::string path_of(int descriptor) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof path);
  return {path, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

[[noreturn]] void die() {
  for (const std::string& path : state.unsynced) ::syscall(SYS_truncate, path.c_str(), 0);
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

bool is_due() {
  if (state.mode == Mode::kNone) return false;
  return ++state.changes == state.at;
}

// Counts a change; true when it has to fail. Dies when its time has come.
bool fails() {
  if (!is_due()) return false;
  if (state.mode == Mode::kDie) die();
  errno = state.error;
  return state.mode == Mode::kFail;
}

template <typename... Arguments>
int change(long number, Arguments... arguments) {
  return fails() ? -1 : static_cast<int>(::syscall(number, arguments...));
}

void follow_rename(const std::string& from, const std::string& to) {
  std::set<std::string> moved;
  for (const std::string& path : state.unsynced) {
    moved.insert(path.starts_with(from) ? to + path.substr(from.size()) : path);
  }
  state.unsynced = std::move(moved);
}

ssize_t short_write(int descriptor, const void* bytes, size_t size) {
  if (++state.changes % 2 == 1) {
    errno = EINTR;
    return -1;
  }
  return ::syscall(SYS_write, descriptor, bytes, std::min<size_t>(size, 7));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
    if (fails()) return -1;
  }
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (state.mode == Mode::kShorten) return short_write(descriptor, bytes, size);
  if (state.mode == Mode::kNone) return ::syscall(SYS_write, descriptor, bytes, size);
  state.unsynced.insert(path_of(descriptor));
  if (state.mode == Mode::kDie && state.changes + 1 == state.at) {
    ::syscall(SYS_write, descriptor, bytes, size / 2);
  }
  return fails() ? -1 : ::syscall(SYS_write, descriptor, bytes, size);
}

int fsync(int descriptor) {
  const int result = change(SYS_fsync, descriptor);
  if (state.mode != Mode::kNone) state.unsynced.erase(path_of(descriptor));
  return result;
}

int rename(const char* from, const char* to) noexcept {
  const int result = change(SYS_rename, from, to);
  if (result == 0) follow_rename(from, to);
  return result;
}

int mkdir(const char* path, mode_t mode) noexcept { return change(SYS_mkdir, path, mode); }
int unlinkat(int directory, const char* path, int flags) noexcept {
  return change(SYS_unlinkat, directory, path, flags);
}
int remove(const char* path) noexcept {
  const int result = change(SYS_unlink, path);
  return result == 0 || errno != EISDIR ? result : static_cast<int>(::syscall(SYS_rmdir, path));
}

}  // extern "C"

namespace lockstep::testing {

void StorageFaults::die_at_change(long n) { state = {.mode = Mode::kDie, .at = n, .unsynced = {}}; }

void StorageFaults::fail_at_change(long n, int error) {
  state = {.mode = Mode::kFail, .at = n, .error = error, .unsynced = {}};
}

void StorageFaults::shorten_writes() { state = {.mode = Mode::kShorten, .unsynced = {}}; }

long StorageFaults::stop() {
  const long changes = state.changes;
  state = {};
  return changes;
}

}  // namespace lockstep::testing
