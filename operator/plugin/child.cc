// posix_spawn, pipes and poll.
#include "operator/plugin/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <utility>

namespace lockstep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kCannotStart = 127;

// Both ends close at exec; the child's copy is made by dup2.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  Pipe(Pipe&& other) noexcept
      : ends_{std::exchange(other.ends_[0], -1), std::exchange(other.ends_[1], -1)} {}
  Pipe& operator=(Pipe&&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  int release_read_end() { return std::exchange(ends_[0], -1); }
  void close_end(int end) {
    if (ends_[end] >= 0) ::close(std::exchange(ends_[end], -1));
  }

 private:
  int ends_[2];
};

// Returns 0 or the error number.
int start(const Command& command, int out, int err, pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  if (err >= 0) posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int exit_status(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// One program and what it has printed so far.
class Child {
 public:
  Child(const Command& command, Ended& ended, const Limits& limits)
      : ended_(ended), limits_(limits), deadline_(Clock::now() + limits.time) {
    const int error = start(command, out_.write_end(), err_.write_end(), pid_);
    if (error != 0) {
      pid_ = -1;
      ended_.code = kCannotStart;
      ended_.err = "cannot run " + command.front() + ": " + std::strerror(error);
    }
    out_.close_end(1);
    err_.close_end(1);
  }

  bool has_started() const { return pid_ > 0; }
  bool is_silent() const { return out_.read_end() < 0 && err_.read_end() < 0; }
  Clock::time_point deadline() const { return deadline_; }

  void watch(std::vector<pollfd>& sources) const {
    for (const Pipe* pipe : {&out_, &err_}) {
      if (pipe->read_end() >= 0) sources.push_back({pipe->read_end(), POLLIN, 0});
    }
  }

  void read(const std::vector<pollfd>& sources) {
    for (const pollfd& source : sources) {
      if (source.revents == 0) continue;
      if (source.fd == out_.read_end()) read(out_, ended_.out);
      if (source.fd == err_.read_end()) read(err_, ended_.err);
    }
    if (Clock::now() >= deadline_) cut("it took too long");
  }

  void wait() {
    if (has_started()) ended_.code = exit_status(pid_);
  }

 private:
  void read(Pipe& pipe, std::string& text) {
    char bytes[65536];
    const ssize_t count = ::read(pipe.read_end(), bytes, sizeof(bytes));
    if (count <= 0) return pipe.close_end(0);
    text.append(bytes, count);
    if (text.size() > limits_.bytes) cut("its answer is too long");
  }

  void cut(const char* why) {
    if (is_silent()) return;
    ::kill(pid_, SIGKILL);
    out_.close_end(0);
    err_.close_end(0);
    ended_.out.clear();
    ended_.err = why;
  }

  Ended& ended_;
  const Limits& limits_;
  const Clock::time_point deadline_;
  Pipe out_, err_;
  pid_t pid_ = -1;
};

// Waits until one of them prints, closes its pipes or is late.
void serve(std::list<Child>& children) {
  std::vector<pollfd> sources;
  Clock::time_point deadline = Clock::time_point::max();
  for (const Child& child : children) {
    child.watch(sources);
    deadline = std::min(deadline, child.deadline());
  }
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  const auto wait = std::clamp<std::int64_t>(rest.count(), 0, 60'000);
  if (::poll(sources.data(), sources.size(), static_cast<int>(wait)) < 0) sources.clear();
  for (Child& child : children) child.read(sources);
}

}  // namespace

std::vector<Ended> run_all(const std::vector<Command>& commands, const Limits& limits) {
  std::vector<Ended> ended(commands.size());
  std::list<Child> children;
  std::size_t next = 0;
  while (next < commands.size() || !children.empty()) {
    while (next < commands.size() && children.size() < limits.at_once) {
      children.emplace_back(commands[next], ended[next], limits);
      ++next;
    }
    serve(children);
    children.remove_if([](Child& child) {
      if (!child.is_silent()) return false;
      child.wait();
      return true;
    });
  }
  return ended;
}

Ended run(const Command& command, const Limits& limits) {
  return std::move(run_all({command}, limits).front());
}

int stream(const Command& command, const std::function<void(std::string_view)>& on_out) {
  Pipe out;
  pid_t pid = 0;
  if (start(command, out.write_end(), -1, pid) != 0) return kCannotStart;
  out.close_end(1);
  char bytes[65536];
  for (ssize_t count = 1; count != 0;) {
    count = ::read(out.read_end(), bytes, sizeof(bytes));
    if (count < 0 && errno != EINTR) break;
    if (count > 0) on_out(std::string_view(bytes, count));
  }
  return exit_status(pid);
}

Streams::~Streams() {
  for (const auto& [name, each] : running_) ::kill(each.pid, SIGTERM);
  for (const auto& [name, each] : running_) {
    ::close(each.out);
    exit_status(each.pid);
  }
}

bool Streams::start(const std::string& name, const Command& command) {
  Pipe out;
  pid_t pid = 0;
  if (lockstep::start(command, out.write_end(), -1, pid) != 0) return false;
  running_[name] = {pid, out.release_read_end()};
  return true;
}

void Streams::serve(std::chrono::milliseconds patience, const OnOut& on_out, const OnEnd& on_end) {
  std::vector<pollfd> sources;
  std::vector<std::string> names;
  for (const auto& [name, each] : running_) {
    sources.push_back({each.out, POLLIN, 0});
    names.push_back(name);
  }
  if (::poll(sources.data(), sources.size(), static_cast<int>(patience.count())) <= 0) return;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].revents == 0) continue;
    char bytes[65536];
    const ssize_t count = ::read(sources[i].fd, bytes, sizeof(bytes));
    if (count > 0) {
      on_out(names[i], std::string_view(bytes, count));
    } else if (count == 0 || errno != EINTR) {
      ::close(sources[i].fd);
      const int code = exit_status(running_.at(names[i]).pid);
      running_.erase(names[i]);
      on_end(names[i], code);
    }
  }
}

}  // namespace lockstep
