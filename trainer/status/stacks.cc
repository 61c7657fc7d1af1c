// All of this runs in signal handlers: no allocation, no lock, no stdio. The thread that gets
// SIGUSR1 signals each thread in turn and waits until that one has written its own stack.
#include "trainer/status/stacks.h"

#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

namespace lockstep {
namespace {

constexpr int kMostFrames = 64;
constexpr int kMostThreads = 64;
constexpr int kPatienceMilliseconds = 100;  // for one thread

std::atomic<int> answered = 0;  // the thread that has written its stack last
static_assert(std::atomic<int>::is_always_lock_free);

int own_signal() { return SIGRTMIN + 7; }  // for one thread; SIGRTMIN is no constant

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

// A path below /proc/self/task.
struct TaskFile {
  TaskFile(int thread, std::string_view name) {
    char* end = std::to_chars(path + std::strlen(path), path + 40, thread).ptr;
    std::memcpy(end, name.data(), name.size());
  }
  char path[64] = "/proc/self/task/";
};

void introduce(int thread) {
  char line[96] = "thread ", name[16];
  char* end = std::to_chars(line + std::strlen(line), line + 24, thread).ptr;
  *end++ = ' ';
  const int file = open(TaskFile(thread, "/comm").path, O_RDONLY | O_CLOEXEC);
  const ssize_t count = file < 0 ? 0 : read(file, name, sizeof name);
  if (file >= 0) close(file);
  for (ssize_t i = 0; i < count && name[i] != '\n'; ++i) *end++ = name[i];
  *end++ = ':';
  *end++ = '\n';
  say({line, static_cast<std::size_t>(end - line)});
}

void write_own_stack(int) {
  const int error = errno;
  void* frames[kMostFrames];
  backtrace_symbols_fd(frames, backtrace(frames, kMostFrames), STDERR_FILENO);
  answered = gettid();
  errno = error;
}

bool has_answered(int thread) {
  for (int i = 0; i < kPatienceMilliseconds && answered != thread; ++i) {
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
  }
  return answered == thread;
}

void write_stack_of(int thread) {
  introduce(thread);
  if (thread == gettid()) return write_own_stack(0);
  answered = 0;
  if (tgkill(getpid(), thread, own_signal()) != 0) return say("  it has ended\n");
  if (!has_answered(thread))
    say("  it does not answer: it blocks signals or waits in the kernel\n");
}

// Calls `visit` with the id of each thread of this process. readdir() would allocate.
template <typename Visit>
void each_thread(const Visit& visit) {
  const int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(dirent64) char entries[2048];
  for (long size; (size = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      int thread = 0;
      const char* name = entry->d_name;
      if (std::from_chars(name, name + std::strlen(name), thread).ec == std::errc()) visit(thread);
    }
  }
  close(directory);
}

void write_all_stacks(int) {
  const int error = errno;
  int threads = 0;
  each_thread([&](int thread) {
    if (++threads <= kMostThreads) write_stack_of(thread);
  });
  if (threads > kMostThreads) say("more threads are left out\n");
  say("end of stacks\n");
  errno = error;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void write_stacks_on_request() {
  void* frame;
  backtrace(&frame, 1);  // loads the unwinder, which a handler must not do
  handle(own_signal(), write_own_stack);
  handle(SIGUSR1, write_all_stacks);
}

}  // namespace lockstep
