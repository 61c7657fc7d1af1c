"""Tests of the test cluster from outside: its command line, kubectl, and what it leaves behind."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CLUSTER = HERE / "cluster"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lockstep"
PROGRAMS = Path(os.environ.get("LOCKSTEP_KUBERNETES_BIN") or CACHE / "kubernetes-bin")
IMAGE = "lockstep.local/cluster-test:1"


class Cluster:
    """One cluster of these tests, in a state folder of their own."""

    def __init__(self, name, state):
        self.name = name
        self.environment = {**os.environ, "XDG_STATE_HOME": str(state)}
        self.folder = state / "lockstep" / name

    def call(self, command, *words):
        argv = [CLUSTER, command, "--name", self.name, *words]
        return subprocess.run(argv, env=self.environment, capture_output=True, text=True)

    def must(self, command, *words):
        done = self.call(command, *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def kubectl(self, *words, given=None):
        argv = [PROGRAMS / "kubectl", "--kubeconfig", self.folder / "pki/admin.kubeconfig", *words]
        done = subprocess.run(argv, input=given, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def pids(self):
        records = (self.folder / "processes").glob("*.json")
        return {path.stem: json.loads(path.read_text())["pid"] for path in records}


def traces():
    """What a cluster could leave on this machine, apart from its files."""

    def lines(*argv):
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()

    ours = re.compile(r"lockstep-traceless|/traceless/|containerd|kube|cni|netns|pods0|veth")
    tops = (
        "/run",
        "/var/lib",
        "/var/log",
        "/etc",
        "/opt",
        "/run/containerd",
        "/var/lib/containerd",
    )
    names = [f"{top}/{name}" for top in tops if os.path.isdir(top) for name in os.listdir(top)]
    everything = {
        "mounts": Path("/proc/mounts").read_text().splitlines(),
        "links": lines("ip", "-o", "link"),
        "namespaces": lines("ip", "netns"),
        "cgroups": [str(path) for path in Path("/sys/fs/cgroup").glob("**/lockstep-*")],
        "folders": names,
    }
    found = {
        kind: {name for name in kinds if ours.search(name)} for kind, kinds in everything.items()
    }
    found["rules"] = {rule for rule in lines("iptables-save") if not rule.startswith(("#", ":"))}
    for name in ("net/ipv4/ip_forward", "kernel/panic", "vm/overcommit_memory"):
        found[name] = Path("/proc/sys", name).read_text()
    return found


def processes_mentioning(text):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in words and int(path.parent.name) != os.getpid():
            found.append(words)
    return found


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
def node(state):
    cluster = Cluster("node", state)
    cluster.must("up")
    yield cluster
    cluster.must("down")


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """An image with a shell, names resolved by glibc, and kubectl as a client of the API."""
    folder = tmp_path_factory.mktemp("image")
    (folder / "kubectl").hardlink_to((PROGRAMS / "kubectl").resolve())
    (folder / "Dockerfile").write_text("FROM debian:bookworm-slim\nCOPY kubectl /usr/bin/\n")
    build = ["buildah", "bud", "--quiet", "--isolation", "chroot", "--pull-never", "-t", IMAGE]
    subprocess.run([*build, folder], check=True, capture_output=True)
    destination = f"docker-archive:{folder}/image.tar:{IMAGE}"
    subprocess.run(["buildah", "push", "--quiet", IMAGE, destination], check=True)
    yield folder / "image.tar"
    (folder / "image.tar").unlink()
    subprocess.run(["buildah", "rmi", IMAGE], check=True, capture_output=True)


@pytest.fixture(scope="module")
def image(node, archive):
    assert IMAGE in node.must("load", str(archive))
    return IMAGE


def pod(name, image, *command):
    """A pod as the pod security standard `restricted` wants it, named under the service `team`."""
    container = {
        "name": "main",
        "image": image,
        "imagePullPolicy": "Never",
        "command": list(command),
        "resources": {"limits": {"cpu": "200m", "memory": "64Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    spec = {
        "hostname": name,
        "subdomain": "team",
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "team"}},
        "spec": spec,
    }


@pytest.fixture(scope="module")
def team(node, image):
    """Two running restricted pods behind one headless service."""
    node.kubectl("label", "namespace", "default", "pod-security.kubernetes.io/enforce=restricted")
    service = {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"app": "team"}}
    items = [
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "team"}, "spec": service},
        pod("team-0", image, "sleep", "infinity"),
        pod("team-1", image, "sleep", "infinity"),
    ]
    node.kubectl(
        "create", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": items})
    )
    node.kubectl("wait", "--for=condition=Ready", "pod/team-0", "pod/team-1", "--timeout=60s")
    yield node
    node.kubectl("delete", "pod", "team-0", "team-1", "--wait=false")


def test_a_pod_finds_its_peer_by_name(team):
    addresses = team.kubectl("get", "pod", "team-0", "-o", "jsonpath={.status.podIP}")
    seen = team.kubectl("exec", "team-1", "--", "getent", "hosts", "team-0.team")
    assert seen.split() == [addresses, "team-0.team.default.svc.cluster.local"]


def test_a_pod_reaches_the_api_server_with_its_own_token(team):
    version = team.kubectl("exec", "team-0", "--", "kubectl", "get", "--raw", "/version")
    assert '"gitVersion": "v1.' in version
    account = team.kubectl("exec", "team-0", "--", "kubectl", "auth", "whoami", "-o", "yaml")
    assert "system:serviceaccount:default:default" in account
    address = team.kubectl("exec", "team-0", "--", "getent", "hosts", "kubernetes.default")
    assert address.split()[0] == "10.96.0.1"


def test_a_pod_that_is_not_restricted_is_refused_where_the_namespace_says_so(team):
    rooted = pod("rooted", IMAGE, "true")
    del rooted["spec"]["containers"][0]["securityContext"]
    argv = [
        PROGRAMS / "kubectl",
        "--kubeconfig",
        team.folder / "pki/admin.kubeconfig",
        "create",
        "-f",
        "-",
    ]
    done = subprocess.run(argv, input=json.dumps(rooted), capture_output=True, text=True)
    assert done.returncode != 0 and "violates PodSecurity" in done.stderr


def test_logs_and_exit_codes_come_back(node, image):
    node.kubectl(
        "create", "-f", "-", given=json.dumps(pod("ends", image, "sh", "-c", "echo words; exit 80"))
    )
    node.kubectl("wait", "--for=jsonpath={.status.phase}=Failed", "pod/ends", "--timeout=60s")
    assert node.kubectl("logs", "ends") == "words"
    code = "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}"
    assert node.kubectl("get", "pod", "ends", "-o", code) == "80"


def claim_and_write(node, image):
    """A claim without a class, and a pod that writes into it as an ordinary user."""
    claim = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}
    kind = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    node.kubectl(
        "create",
        "-f",
        "-",
        given=json.dumps({**kind, "metadata": {"name": "shared"}, "spec": claim}),
    )
    writer = pod("writer", image, "sh", "-c", "echo kept >> /shared/file")
    writer["spec"]["volumes"] = [
        {"name": "shared", "persistentVolumeClaim": {"claimName": "shared"}}
    ]
    writer["spec"]["containers"][0]["volumeMounts"] = [{"name": "shared", "mountPath": "/shared"}]
    node.kubectl("create", "-f", "-", given=json.dumps(writer))
    node.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/writer", "--timeout=60s")


def test_a_volume_is_kept_while_claimed_and_empty_for_a_new_claim(node, image):
    folder = Path(node.must("volume", "default", "shared").splitlines()[-1])
    claim_and_write(node, image)
    assert (folder / "file").read_text() == "kept\n"
    assert "left as it is" in node.must("volume", "default", "shared")
    assert (folder / "file").read_text() == "kept\n"
    node.kubectl("delete", "pod/writer", "pvc/shared")
    node.must("volume", "default", "shared")
    assert not (folder / "file").exists()
    claim_and_write(node, image)
    node.kubectl("delete", "pod/writer", "pvc/shared")


def test_an_image_is_loaded_once(node, image, archive, tmp_path):
    assert "is loaded already" in node.must("load", str(archive))
    done = node.call("load", str(tmp_path / "absent.tar"))
    assert done.returncode == 1 and "No such file" in done.stderr


def test_advertised_gpus_are_scheduled_and_run_out(node, image):
    node.must("gpus", "2")
    for name in ("first", "second"):
        wanting = pod(name, image, "sleep", "infinity")
        wanting["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] = "2"
        node.kubectl("create", "-f", "-", given=json.dumps(wanting))
        if name == "first":
            node.kubectl("wait", "--for=condition=Ready", "pod/first", "--timeout=60s")
    node.kubectl("wait", "--for=condition=PodScheduled=false", "pod/second", "--timeout=60s")
    message = "jsonpath={.status.conditions[?(@.type=='PodScheduled')].message}"
    assert "Insufficient nvidia.com/gpu" in node.kubectl("get", "pod", "second", "-o", message)
    node.kubectl("delete", "pod", "first", "second")


def test_running_pods_outlive_a_restart_of_the_api_server(team):
    before = team.pids()["kube-apiserver"]
    team.must("stop", "kube-apiserver")
    assert team.call("status").returncode == 1
    team.must("start", "kube-apiserver")
    deadline = time.monotonic() + 60
    while team.call("status").returncode != 0 and time.monotonic() < deadline:
        time.sleep(0.2)
    assert team.pids()["kube-apiserver"] != before
    assert (
        team.kubectl(
            "get",
            "pod",
            "team-0",
            "-o",
            "jsonpath={.status.phase}{.status.containerStatuses[0].restartCount}",
        )
        == "Running0"
    )


def test_up_again_keeps_every_process(node):
    before = node.pids()
    assert "is up already" in node.must("up")
    assert node.pids() == before


def test_two_control_planes_run_beside_the_node(node, state):
    clusters = [Cluster("left", state), Cluster("right", state)]
    for cluster in clusters:
        cluster.must("up", "--no-node")
        cluster.kubectl("create", "namespace", f"only-{cluster.name}")
    names = [cluster.kubectl("get", "namespaces", "-o", "name") for cluster in (*clusters, node)]
    assert ["only-left" in each for each in names] == [True, False, False]
    assert ["only-right" in each for each in names] == [False, True, False]
    for cluster in clusters:
        cluster.must("down")
        assert processes_mentioning(str(cluster.folder)) == []


def test_a_second_kind_under_the_same_name_is_refused(node):
    done = node.call("up", "--no-node")
    assert done.returncode == 1 and "is up with a node; take it down first" in done.stderr


def test_up_after_a_crash_starts_afresh(state):
    cluster = Cluster("crashed", state)
    cluster.must("up", "--no-node")
    cluster.kubectl("create", "namespace", "forgotten")
    first = cluster.pids()
    os.kill(first["kube-apiserver"], signal.SIGKILL)
    assert "removing what an earlier run has left" in cluster.must("up", "--no-node")
    assert not set(first.values()) & set(cluster.pids().values())
    assert "forgotten" not in cluster.kubectl("get", "namespaces", "-o", "name")
    cluster.must("down")


def test_a_reused_process_id_is_never_killed(state):
    cluster = Cluster("reused", state)
    cluster.must("up", "--no-node")
    with subprocess.Popen(["sleep", "600"]) as bystander:
        path = cluster.folder / "processes/etcd.json"
        record = json.loads(path.read_text())
        os.kill(record["pid"], signal.SIGKILL)
        path.write_text(json.dumps({**record, "pid": bystander.pid}))
        cluster.must("down")
        assert bystander.poll() is None
        bystander.kill()


@pytest.mark.parametrize("crash_first", [False, True])
def test_down_leaves_nothing_behind(state, crash_first):
    before = traces()
    cluster = Cluster("traceless", state)
    cluster.must("up")
    cluster.kubectl(
        "create", "-f", "-", given=json.dumps(pod("held", "lockstep.local/pause:1", "/pause"))
    )
    cluster.kubectl("wait", "--for=condition=Ready", "pod/held", "--timeout=60s")
    link = f"lockstep{json.loads((cluster.folder / 'cluster.json').read_text())['slot']}"
    assert Path(f"/sys/class/net/{link}").exists()
    if crash_first:
        for pid in cluster.pids().values():
            os.kill(pid, signal.SIGKILL)
    cluster.must("down")
    assert traces() == before
    assert not Path(f"/sys/class/net/{link}").exists()
    assert processes_mentioning("traceless") == []
    assert not cluster.folder.exists()


def test_a_missing_program_is_named_with_what_to_do(tmp_path):
    cluster = Cluster("bare", tmp_path)
    cluster.environment["LOCKSTEP_KUBERNETES_BIN"] = str(tmp_path)
    done = cluster.call("up", "--no-node")
    assert (
        done.returncode == 1
        and "no program etcd" in done.stderr
        and "run setup/run cluster" in done.stderr
    )
    cluster.must("down")


def test_a_program_that_dies_at_start_shows_the_end_of_its_log(state, tmp_path):
    for program in ("etcd", "kubectl", "kube-apiserver"):
        (tmp_path / program).symlink_to(PROGRAMS / program)
    broken = tmp_path / "kube-apiserver"
    broken.unlink()
    broken.write_text("#!/bin/sh\necho the disk is on fire; exit 1\n")
    broken.chmod(0o755)
    cluster = Cluster("broken", state)
    cluster.environment["LOCKSTEP_KUBERNETES_BIN"] = str(tmp_path)
    done = cluster.call("up", "--no-node")
    assert done.returncode == 1 and "kube-apiserver ended while it was starting" in done.stderr
    assert "the disk is on fire" in done.stderr
    cluster.must("down")
