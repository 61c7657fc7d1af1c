"""A thin view of a cluster through kubectl: the client that users have, not ours."""
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lockstep"
BIN = CACHE / "kubernetes-bin"


class Kube:
    """kubectl in one namespace of one cluster."""

    def __init__(self, kubeconfig, namespace="default"):
        self.kubeconfig = str(kubeconfig)
        self.namespace = namespace

    def kubectl(self, *args, stdin=None, check=True, timeout=120):
        """Runs kubectl and returns its completed process; output is text."""
        done = subprocess.run(
            [str(BIN / "kubectl"), "--kubeconfig", self.kubeconfig, "-n", self.namespace, *args],
            input=stdin, text=True, capture_output=True, timeout=timeout, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(args)} ended with {done.returncode}: {done.stderr}")
        return done

    def apply(self, *objects, **kwargs):
        return self.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}),
                            **kwargs)

    def get(self, kind, name=None, selector=None):
        """One object, or the list of objects; None when there is no such object."""
        args = ["get", kind, "-o", "json", "--ignore-not-found"]
        args += [name] if name else []
        args += ["-l", selector] if selector else []
        text = self.kubectl(*args).stdout
        if not text.strip():
            return None if name else []
        found = json.loads(text)
        return found if name else found["items"]

    def job(self, name):
        return self.get("trainingjob", name)

    def status(self, name):
        return (self.job(name) or {}).get("status", {})

    def pods(self, job):
        return self.get("pods", selector=f"lockstep.dev/job-name={job}")

    def logs(self, pod, previous_ok=True):
        return self.kubectl("logs", pod, "--all-containers", check=not previous_ok).stdout

    def events(self, name):
        return [e for e in self.get("events") if e["involvedObject"]["name"] == name]

    def audited(self, *marks):
        """The requests in the API server's own record whose lines contain all marks, in order."""
        log = Path(self.kubeconfig).parents[1] / "logs" / "audit.log"
        return [json.loads(line) for line in log.read_text().splitlines() if all(mark in line for mark in marks)]

    def wait(self, what, condition, seconds=120):
        """Returns the first true value of condition(); fails with what was seen when the time is over."""
        deadline = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s in vain for: {what}\n{self.picture()}")
            time.sleep(0.25)  # a poll of a real cluster from outside, bounded by the deadline

    def wait_phase(self, name, *phases, seconds=120):
        def reached():
            status = self.status(name)
            return status if status.get("phase") in phases else None

        return self.wait(f"TrainingJob {name} to be {' or '.join(phases)}", reached, seconds)

    def picture(self):
        """What an engineer would look at first; printed when a wait fails."""
        parts = [self.kubectl("get", "tj,pods,svc", "-o", "wide", check=False).stdout,
                 self.kubectl("get", "tj", "-o", "jsonpath={range .items[*]}{.status}{\"\\n\"}{end}", check=False).stdout,
                 self.kubectl("get", "events", "--sort-by=.lastTimestamp", check=False).stdout[-3000:]]
        for pod in self.get("pods"):
            parts.append(f"--- {pod['metadata']['name']}\n{self.logs(pod['metadata']['name'])[-1500:]}")
        return "\n".join(parts)


def condition(status, kind):
    """The condition of that type, or an empty dict."""
    return next((c for c in status.get("conditions", []) if c["type"] == kind), {})


def training_job(name, **spec):
    return {"apiVersion": "lockstep.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": name}, "spec": spec}
