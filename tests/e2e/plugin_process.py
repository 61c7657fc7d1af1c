"""kubectl-lockstep as a process, the way a user calls it."""
import os
import subprocess

from kube import BIN, ROOT

PROGRAM = ROOT / "build" / "dev" / "operator" / "plugin" / "kubectl-lockstep"


class Plugin:
    """Commands in one namespace of one cluster."""

    def __init__(self, kube, **env):
        self.flags = [f"--kubeconfig={kube.kubeconfig}", "-n", kube.namespace]
        self.env = {**os.environ, "KUBECTL": str(BIN / "kubectl"), **env}

    def start(self, *args, program=PROGRAM):
        """The running process; its output can be read."""
        return subprocess.Popen([str(program), *args, *self.flags], env=self.env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def __call__(self, *args, code=0, timeout=120):
        """What it prints to both streams, once it has ended with that code."""
        done = subprocess.run([str(PROGRAM), *args, *self.flags], env=self.env, text=True, capture_output=True,
                              timeout=timeout, check=False)
        assert done.returncode == code, f"{args} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr
