"""The operator as a process of this machine, so that a test may kill, stop and restart it."""
import os
import re
import signal
import subprocess
import threading
import urllib.request
import uuid
from pathlib import Path

import yaml

from kube import ROOT

PROGRAM = ROOT / "build" / "dev" / "operator" / "lockstep-operator"


class Operator:
    """One run of the operator; its log lines are kept."""

    def __init__(self, *flags, integrations="volcano,coscheduling,native,kueue", env=None):
        self.process = subprocess.Popen(
            [str(PROGRAM), "--health-address=127.0.0.1:0", "--trainer-image=lockstep/trainer:test",
             f"--integration={integrations}", *flags],
            stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.lines = []
        self.reader = threading.Thread(target=self._follow, daemon=True)
        self.reader.start()

    def _follow(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def text(self):
        return "".join(self.lines)

    def page(self, path):
        """What the operator serves there, with its code: (200, text)."""
        port = re.search(r'"port":(\d+)', self.text()).group(1)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def kill(self):
        """As the kernel does when memory is short."""
        self.process.kill()
        self.process.wait()
        self.reader.join()

    def stop(self):
        """SIGTERM; returns the exit status, which must come within 2 seconds."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=2)
        finally:
            self.kill()


def role(name, rules):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": rules}


def limited_kubeconfig(kube, folder, rules):
    """A kubeconfig of a service account that has exactly these rules."""
    name = f"limited-{uuid.uuid4().hex[:6]}"
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
               "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": kube.namespace}]}
    kube.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}, role(name, rules), binding)
    config = yaml.safe_load(Path(kube.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": kube.kubectl("create", "token", name).stdout.strip()}
    path = folder / f"{name}.kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return path
