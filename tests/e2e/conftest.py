"""Brings up what the e2e tests need: the real cluster, the images, the chart; a fresh restricted namespace a test."""
import itertools
import os
import subprocess
import uuid

import pytest

from kube import BIN, ROOT, Kube
from kubelet import SimulatedKubelet
from operator_process import Operator

CLUSTER = ROOT / "tests" / "cluster" / "cluster"
_volumes = itertools.count()


def run(*command, **kwargs):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, cwd=ROOT, **kwargs)
    assert done.returncode == 0, f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def helm(cluster, *args):
    return run(BIN / "helm", "--kubeconfig", cluster.kubeconfig, *args, timeout=180)


def install_chart(cluster):
    helm(cluster, "upgrade", "--install", "lockstep", ROOT / "charts" / "lockstep", "--namespace", "lockstep-system",
         "--create-namespace", "--wait", "--timeout", "90s")


@pytest.fixture(scope="session")
def node_cluster():
    """The control plane with one real node, images imported. Left running when it ran before."""
    was_up = subprocess.run([CLUSTER, "status"], capture_output=True, check=False).returncode == 0
    run(CLUSTER, "up", timeout=300)
    run(ROOT / "docker" / "build", timeout=1200)
    yield Kube(run(CLUSTER, "kubeconfig").strip())
    if not was_up and "LOCKSTEP_KEEP_CLUSTER" not in os.environ:
        run(CLUSTER, "down", timeout=120)


@pytest.fixture(scope="session")
def cluster(node_cluster):
    """node_cluster with the operator installed by its chart."""
    install_chart(node_cluster)
    yield node_cluster
    helm(node_cluster, "uninstall", "lockstep", "--namespace", "lockstep-system", "--wait")


def fresh_namespace(cluster, prefix="e2e", level="restricted"):
    name = f"{prefix}-{uuid.uuid4().hex[:6]}"
    labels = {"pod-security.kubernetes.io/enforce": level}
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    return Kube(cluster.kubeconfig, name)


def drop_namespace(kube):
    kube.kubectl("delete", "namespace", kube.namespace, "--wait=false")


@pytest.fixture
def kube(cluster):
    """kubectl in a namespace of this test alone, where Pod Security `restricted` is enforced."""
    inside = fresh_namespace(cluster)
    yield inside
    drop_namespace(inside)


@pytest.fixture
def volume(kube):
    return make_volume(kube)


def make_volume(kube):
    """Creates a ReadWriteMany claim backed by a folder of this machine; returns (claim name, that folder)."""
    claim = f"checkpoints-{next(_volumes)}"
    folder = run(CLUSTER, "volume", kube.namespace, claim).strip().splitlines()[-1]
    kube.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": claim},
                "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "",
                         "resources": {"requests": {"storage": "1Gi"}}}})
    return claim, folder


@pytest.fixture(scope="session")
def api_server():
    """A control plane of its own without a node, for tests of the API and of the operator as a host process."""
    name = os.environ.get("LOCKSTEP_API_CLUSTER", "api")  # so that two checkouts can run side by side
    was_up = subprocess.run([CLUSTER, "status", "--name", name], capture_output=True, check=False).returncode == 0
    run(CLUSTER, "up", "--no-node", "--name", name, timeout=120)
    kube = Kube(run(CLUSTER, "kubeconfig", "--name", name).strip())
    kube.kubectl("apply", "--server-side", "-f", str(ROOT / "charts" / "lockstep" / "templates" / "crd.yaml"))
    kube.wait("the API to serve TrainingJobs", lambda: kube.kubectl("get", "tj", check=False).returncode == 0, seconds=30)
    yield kube
    if not was_up:
        run(CLUSTER, "down", "--name", name, timeout=60)


@pytest.fixture(scope="module")
def operator_everywhere(api_server):
    """One operator for all namespaces of the control plane without a node, while the tests of one file run."""
    running = Operator(f"--kubeconfig={api_server.kubeconfig}")
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture
def api_namespace(api_server):
    """kubectl in a namespace of this test alone on the control plane without a node, where any image may run."""
    inside = fresh_namespace(api_server, "api", level="privileged")
    inside.wait("its service account", lambda: inside.get("serviceaccount", "default"))
    yield inside
    drop_namespace(inside)


@pytest.fixture
def kubelet(kube):
    """The machines of that namespace."""
    played = SimulatedKubelet(kube)
    yield played
    played.stop()
