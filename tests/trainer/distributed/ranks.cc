// Processes and pipes behind ranks.h.
#include "tests/trainer/distributed/ranks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace lockstep::testing {
namespace {

constexpr std::chrono::seconds kPatience{60};

std::string free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(fd, generic, length) != 0 || getsockname(fd, generic, &length) != 0) {
    throw std::runtime_error("no free port on loopback");
  }
  close(fd);
  return std::to_string(ntohs(address.sin_port));
}

std::vector<std::string> environment_with(const Variables& variables) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!variables.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : variables) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Ranks::Ranks(const std::vector<std::string>& command, int size, const Variables& variables)
    : port_(free_port()) {
  for (int rank = 0; rank < size; ++rank) {
    Variables own = variables;
    own.insert({{"RANK", std::to_string(rank)},
                {"LOCAL_RANK", std::to_string(rank)},
                {"WORLD_SIZE", std::to_string(size)}});
    start(command, own);
  }
}

Ranks::~Ranks() {
  for (Process& process : processes_) {
    if (process.pid > 0) kill(process.pid, SIGKILL);
  }
  wait();
}

std::size_t Ranks::start(const std::vector<std::string>& command, Variables variables) {
  variables.insert(
      {{"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port_}, {"OMP_NUM_THREADS", "1"}});
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment = environment_with(variables);
  Process process;
  const int error = posix_spawn(&process.pid, command.front().c_str(), &actions, nullptr,
                                pointers_to(arguments).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  process.pipe = ends[0];
  if (error != 0) throw std::runtime_error("cannot start " + command.front());
  processes_.push_back(process);
  return processes_.size() - 1;
}

void Ranks::send(std::size_t rank, int signal) { kill(processes_[rank].pid, signal); }

bool Ranks::has_said(std::size_t rank, const std::string& text) {
  const auto deadline = Clock::now() + kPatience;
  while (!processes_[rank].exit.says(text)) {
    if (processes_[rank].pipe < 0 || !read_some(deadline)) return false;
  }
  return true;
}

std::vector<Exit> Ranks::wait() {
  const auto deadline = Clock::now() + kPatience;
  while (read_some(deadline)) {
  }
  std::vector<Exit> exits;
  for (Process& process : processes_) {
    if (process.pipe >= 0) {
      kill(process.pid, SIGKILL);
      close(process.pipe);
      process.pipe = -1;
    }
    reap(process);
    exits.push_back(process.exit);
  }
  return exits;
}

// Reads from every pipe that has something; false when none is open any more or time is up.
bool Ranks::read_some(Clock::time_point deadline) {
  std::vector<pollfd> waiting;
  std::vector<Process*> owners;
  for (Process& process : processes_) {
    if (process.pipe < 0) continue;
    waiting.push_back({process.pipe, POLLIN, 0});
    owners.push_back(&process);
  }
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  if (waiting.empty() || left.count() <= 0) return false;
  poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    if (waiting[i].revents == 0) continue;
    char bytes[4096];
    const ssize_t count = read(waiting[i].fd, bytes, sizeof bytes);
    if (count > 0) {
      owners[i]->exit.output.append(bytes, static_cast<std::size_t>(count));
    } else {
      close(std::exchange(owners[i]->pipe, -1));
    }
  }
  return true;
}

void Ranks::reap(Process& process) {
  if (process.pid <= 0) return;
  int status = 0;
  waitpid(process.pid, &status, 0);
  if (WIFEXITED(status)) process.exit.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) process.exit.signal = WTERMSIG(status);
  process.pid = 0;
}

std::vector<Exit> run_ranks(const std::vector<std::string>& command, int size,
                            const Variables& variables) {
  return Ranks(command, size, variables).wait();
}

}  // namespace lockstep::testing
