"""A control plane whose real scheduler binds pods to made-up nodes, on which KWOK plays the kubelet."""
import subprocess
from contextlib import contextmanager

from conftest import CLUSTER, drop_namespace, fresh_namespace, run
from kube import BIN, ROOT, Kube

KWOK = ("--manage-all-nodes", "--node-lease-duration-seconds=40", f"--config={ROOT / 'tests' / 'e2e' / 'kwok.yaml'}")


class MadeUpNodes:
    """Use as a context: the cluster and KWOK end with it."""

    def __init__(self, name, *flags):
        self.name = name
        self.flags = flags

    def __enter__(self):
        run(CLUSTER, "up", "--no-node", "--name", self.name, *self.flags, timeout=120)
        self.kube = Kube(run(CLUSTER, "kubeconfig", "--name", self.name).strip())
        self.kwok = subprocess.Popen([str(BIN / "kwok"), f"--kubeconfig={self.kube.kubeconfig}", *KWOK],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        crd = ROOT / "charts" / "lockstep" / "templates" / "crd.yaml"
        self.kube.kubectl("apply", "--server-side", "-f", str(crd))
        self.kube.wait("the API to serve TrainingJobs",
                       lambda: self.kube.kubectl("get", "tj", check=False).returncode == 0, seconds=30)
        return self

    def __exit__(self, *_):
        self.kwok.kill()
        self.kwok.wait()
        run(CLUSTER, "down", "--name", self.name, timeout=60)

    @contextmanager
    def namespace(self):
        """kubectl in a fresh namespace; in the end its pods make room at once."""
        inside = fresh_namespace(self.kube, self.name)
        yield inside
        inside.kubectl("delete", "pods", "--all", "--force", "--grace-period=0")
        drop_namespace(inside)

    def add(self, name, cpus, labels=None, taints=()):
        """A node that is Ready when this returns."""
        room = {"cpu": str(cpus), "memory": "64Gi", "pods": "110"}
        self.kube.apply({"apiVersion": "v1", "kind": "Node",
                         "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
                         "spec": {"taints": list(taints)}, "status": {"allocatable": room, "capacity": room}})
        self.kube.kubectl("wait", "--for=condition=Ready", f"node/{name}", "--timeout=30s")

    def remove(self, *names):
        self.kube.kubectl("delete", "node", *names)


def scheduled(pods):
    """The pods that the scheduler has given a node."""
    return [p["metadata"]["name"] for p in pods if p["spec"].get("nodeName")]
