// fork and exec; see spawn.h. In between only calls that are safe in a signal handler: a thread
// that writes log files may hold any lock at that moment.
#include "trainer/launch/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace lockstep {
namespace {

struct Pipe {
  Fd read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw SpawnError(70, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> assignments(const Environment& environment) {
  std::vector<std::string> result;
  for (const auto& [name, value] : environment) result.push_back(name + "=" + value);
  return result;
}

void reset_signals() {
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// In the child. Returns only if the program could not be started, with errno set.
void become_program(char* const* arguments, char* const* environment, int out, int err,
                    pid_t launcher) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(128 + SIGKILL);  // it died before we asked for the signal
  const int null = open("/dev/null", O_RDONLY);
  if (null < 0 || dup2(null, STDIN_FILENO) < 0) return;
  if (null != STDIN_FILENO) close(null);
  if (dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0) return;
  reset_signals();
  execvpe(arguments[0], arguments, environment);
}

SpawnError explain(const std::string& program, int error) {
  const std::string start = "cannot start '" + program + "': ";
  std::error_code ignored;
  const bool is_path = program.find('/') != std::string::npos;
  if (error == ENOENT && is_path && std::filesystem::exists(program, ignored)) {
    return {127, start + "the interpreter or loader it names does not exist"};
  }
  if (error == ENOENT && is_path) return {127, start + "no such file"};
  if (error == ENOENT) return {127, start + "no such program in PATH"};
  if (error == EACCES && std::filesystem::is_directory(program, ignored)) {
    return {126, start + "it is a directory"};
  }
  if (error == EACCES) return {126, start + "it is not executable (chmod +x)"};
  return {126, start + std::strerror(error)};
}

}  // namespace

Process spawn(const std::vector<std::string>& command, const Environment& environment) {
  Pipe out = make_pipe(), err = make_pipe(), failure = make_pipe();
  const std::vector<std::string> variables = assignments(environment);
  const std::vector<char*> argv = pointers(command), envp = pointers(variables);
  const pid_t launcher = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    throw SpawnError(70, std::string("cannot start another process: ") + std::strerror(errno));
  }
  if (pid == 0) {
    become_program(argv.data(), envp.data(), out.write.get(), err.write.get(), launcher);
    const int error = errno;
    [[maybe_unused]] const ssize_t told = write(failure.write.get(), &error, sizeof error);
    _exit(127);
  }
  setpgid(pid, pid);  // here too: whoever comes first, the group exists when we signal it
  failure.write.reset();
  int error = 0;
  if (read(failure.read.get(), &error, sizeof error) == sizeof error) {  // exec closes the pipe
    waitpid(pid, nullptr, 0);
    throw explain(command.front(), error);
  }
  fcntl(out.read.get(), F_SETFL, O_NONBLOCK);
  fcntl(err.read.get(), F_SETFL, O_NONBLOCK);
  return {pid, std::move(out.read), std::move(err.read)};
}

}  // namespace lockstep
