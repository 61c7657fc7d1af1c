// Runs the launcher's real program; see launched.h.
#include "tests/trainer/launch/launched.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace lockstep::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience(30);

// Waits for a descriptor to be readable; false after the deadline.
bool is_readable(int fd, Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd ready = {fd, POLLIN, 0};
  return left.count() > 0 && poll(&ready, 1, static_cast<int>(left.count())) == 1;
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_live(const std::filesystem::path& process) {
  const std::string stat = read_file(process / "stat");
  const std::size_t state = stat.rfind(')');
  return state != std::string::npos && stat.substr(state + 2, 1) != "Z";
}

}  // namespace

Launched::Launched(const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& environment, int progress_port,
                   const std::vector<std::string>& wrapper) {
  static int count = 0;
  mark_ = "LAUNCHED_BY_TEST=" + std::to_string(getpid()) + "." + std::to_string(count++);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pipe_ = Fd(ends[0]);
  const Fd write_end(ends[1]);
  std::vector<std::string> command = wrapper;
  command.insert(command.end(), {LAUNCHER, "--progress-port=" + std::to_string(progress_port)});
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(write_end.get(), STDOUT_FILENO);
    dup2(write_end.get(), STDERR_FILENO);
    for (const int number : {SIGINT, SIGQUIT, SIGHUP}) ::signal(number, SIG_DFL);
    putenv(mark_.data());
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execvp(argv.front(), argv.data());
    _exit(99);
  }
}

Launched::~Launched() {
  for (const pid_t pid : processes()) kill(pid, SIGKILL);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
}

bool Launched::read_some() {
  if (!is_readable(pipe_.get(), Clock::now() + kPatience)) {
    throw std::runtime_error("waited too long; output so far:\n" + output_);
  }
  char buffer[64 << 10];
  const ssize_t count = read(pipe_.get(), buffer, sizeof buffer);
  if (count > 0) output_.append(buffer, count);
  return count > 0;
}

void Launched::wait_for(std::string_view text, int times) {
  const auto count = [&] {
    int found = 0;
    for (std::size_t at = 0; (at = output_.find(text, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  while (count() < times) {
    if (!read_some()) throw std::runtime_error("ended early; output:\n" + output_);
  }
}

int Launched::wait() {
  while (read_some()) {
  }
  return wait_deaf();
}

int Launched::wait_deaf() {
  const Fd process(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  if (!is_readable(process.get(), Clock::now() + kPatience)) {
    throw std::runtime_error("the launcher did not end; output so far:\n" + output_);
  }
  return reap();
}

int Launched::reap() {
  int status = 0;
  waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Launched::signal(int number) const { kill(pid_, number); }

std::vector<pid_t> Launched::processes() const {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string environment = '\0' + read_file(entry.path() / "environ");
    const bool is_ours = environment.find('\0' + mark_ + '\0') != std::string::npos;
    if (is_ours && is_live(entry.path())) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> Launched::numbers(const std::string& label) const {
  std::vector<pid_t> found;
  for (std::size_t at = 0; (at = output_.find(label, at)) != std::string::npos;) {
    at += label.size();
    found.push_back(std::atoi(output_.c_str() + at));
  }
  return found;
}

void wait_until(const std::string& what, const std::function<bool()>& condition) {
  const auto deadline = Clock::now() + kPatience;
  while (!condition()) {
    if (Clock::now() > deadline) throw std::runtime_error("waited too long for: " + what);
    sched_yield();
  }
}

std::vector<std::string> shell(int ranks, const std::string& script,
                               std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--nproc", std::to_string(ranks), "--", "sh", "-c", script});
  return flags;
}

}  // namespace lockstep::test
