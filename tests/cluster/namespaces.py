"""Network, mount and process namespaces that one cluster with a node lives in.

One small process holds them. When it ends the kernel ends everything inside, containers included,
and the mounts, interfaces and packet-filter rules go with it: tearing down leaves nothing behind.
"""

import ctypes
import os
import subprocess
from contextlib import contextmanager

from progress import ClusterError

_libc = ctypes.CDLL(None, use_errno=True)

# The first process inside ignores SIGCHLD, so the kernel reaps the orphans that it inherits.
HOLDER = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
          "sh", "-c", "trap '' CHLD; exec sleep infinity"]  # fmt: skip


def _enter(path):
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if _libc.setns(descriptor, 0) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace {path}")
    finally:
        os.close(descriptor)


class Namespaces:
    """The namespaces held by a process that was started with HOLDER."""

    def __init__(self, holder_pid):
        self.holder_pid = holder_pid

    def exist(self):
        """Whether the holder has made its namespaces and its first process is there."""
        mine, theirs = (os.readlink(f"/proc/{pid}/ns/mnt") for pid in ("self", self.holder_pid))
        try:
            return mine != theirs and bool(
                os.readlink(f"/proc/{self.holder_pid}/ns/pid_for_children")
            )
        except FileNotFoundError:
            return False

    def spawn(self, argv, **options):
        """subprocess.Popen inside; the process id of the result is the one seen from outside."""

        def enter_the_rest():
            _enter(f"/proc/{self.holder_pid}/ns/net")
            _enter(mount_namespace)
            os.chdir("/")

        mount_namespace = f"/proc/{self.holder_pid}/ns/mnt"
        with self._children_inside():
            return subprocess.Popen(argv, preexec_fn=enter_the_rest, **options)

    def run(self, argv, **options):
        """Runs a command inside to its end and returns what it printed."""
        process = self.spawn(
            [str(word) for word in argv],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )
        out, errors = process.communicate()
        if process.returncode != 0:
            raise ClusterError(
                f"{' '.join(map(str, argv))} failed inside the node: {(errors or out).strip()}"
            )
        return out

    @contextmanager
    def _children_inside(self):
        # A process namespace takes effect for children only: the parent enters it around the fork.
        _enter(f"/proc/{self.holder_pid}/ns/pid_for_children")
        try:
            yield
        finally:
            _enter("/proc/self/ns/pid")
