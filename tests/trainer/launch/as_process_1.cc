// Runs a program as process 1 of a PID namespace, as a container does: as_process_1 PROGRAM ARGS...
// Exits as the program does, with 128 + signal if it was killed. (unshare(1) fails after SIGKILL.)
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void require(bool is_well, const char* what) {
  if (is_well) return;
  std::perror(what);
  std::_Exit(99);
}

void write_to(const char* file, const std::string& text) {
  const int fd = open(file, O_WRONLY | O_CLOEXEC);
  require(write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()), file);
  close(fd);
}

// Whoever we are, we are root in there and may mount a /proc that shows only our processes.
void enter_namespaces() {
  const std::string user = std::to_string(geteuid());
  const std::string group = std::to_string(getegid());
  require(unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) == 0, "unshare");
  write_to("/proc/self/setgroups", "deny");
  write_to("/proc/self/uid_map", "0 " + user + " 1");
  write_to("/proc/self/gid_map", "0 " + group + " 1");
}

}  // namespace

int main(int, char** argv) {
  enter_namespaces();
  const pid_t child = fork();
  if (child == 0) {
    require(mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "private mounts");
    require(mount("proc", "/proc", "proc", 0, nullptr) == 0, "/proc");
    execvp(argv[1], argv + 1);
    require(false, argv[1]);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
