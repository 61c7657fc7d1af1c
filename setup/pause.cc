// The first process of every pod on the test node: holds the pod's namespaces open until it is told
// to end.
#include <signal.h>
#include <unistd.h>

int main() {
  signal(SIGCHLD,
         SIG_IGN);  // with a shared process namespace, orphans end here and are reaped at once
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  sigprocmask(SIG_BLOCK, &ends, nullptr);
  int received = 0;
  sigwait(&ends, &received);
  return 0;
}
