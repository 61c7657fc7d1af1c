"""One real node: containerd and runc, bridge networking, kubelet, kube-proxy, CoreDNS.

The node lives in namespaces (namespaces.py) together with its control plane. Inside, its programs
find their usual paths, /run, /var/lib and /var/log, empty and their own; outside, these are folders
of the cluster.
"""

import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from control_plane import Kubectl
from layout import BRIDGE, BRIDGE_ADDRESS, NODE_NAME, POD_SUBNET, SERVICE_SUBNET, cache_root
from namespaces import HOLDER, Namespaces
from pki import Pki
from progress import ClusterError, say, wait_until

# The kubelet would set these for the whole machine; it finds them set and leaves them alone.
KUBELET_SYSCTLS = {
    "vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1000000, "kernel/keys/root_maxbytes": 25000000,
}  # fmt: skip


def require_root():
    if os.geteuid() != 0:
        raise ClusterError(
            "a node needs root (namespaces, mounts, cgroups); run as root, or add --no-node"
        )


def open_namespaces(layout, processes):
    """Makes the namespaces, the node's folders in them and the link to this machine."""
    processes.start("namespaces", HOLDER)
    namespaces = Namespaces(processes.running_pid("namespaces"))
    processes.wait_ready("namespaces", namespaces.exist, 10)
    processes.namespaces = namespaces
    _own_folders(layout, namespaces)
    _link(layout, namespaces)
    for hierarchy in cgroup_hierarchies():
        (hierarchy / layout.cgroup.lstrip("/")).mkdir(exist_ok=True)


def _own_folders(layout, namespaces):
    namespaces.run(["mount", "--make-rshared", "/"])
    namespaces.run(["mount", "-t", "tmpfs", "-o", "mode=755", "node-run", "/run"])
    for path in ("/var/lib", "/var/log"):
        own = layout.folder / "node" / path.lstrip("/")
        own.mkdir(parents=True)
        namespaces.run(["mount", "--bind", own, path])
    for name, value in KUBELET_SYSCTLS.items():
        stand_in = layout.folder / "node/sysctl" / name
        stand_in.parent.mkdir(parents=True, exist_ok=True)
        stand_in.write_text(f"{value}\n")
        namespaces.run(["mount", "--bind", stand_in, f"/proc/sys/{name}"])


def _link(layout, namespaces):
    inside = f"/proc/{namespaces.holder_pid}/ns/net"
    outer = layout.outer_link
    _ip("link", "add", outer, "type", "veth", "peer", "name", "eth0", "netns", inside)
    _ip("address", "add", f"{layout.outer_address}/30", "dev", outer)
    _ip("link", "set", outer, "up")
    for words in (
        "link set lo up",
        f"address add {layout.address}/30 dev eth0",
        "link set eth0 up",
        f"link add {BRIDGE} type bridge",
        f"address add {BRIDGE_ADDRESS}/{POD_SUBNET.split('/')[1]} dev {BRIDGE}",
        f"link set {BRIDGE} up",
        # Only so that a packet to a service gets as far as kube-proxy's rules.
        f"route add {SERVICE_SUBNET} dev eth0 src {layout.address}",
    ):
        namespaces.run(["ip", *words.split()])


def _ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise ClusterError(f"ip {' '.join(words)} failed: {done.stderr.strip()}")


def start(layout, processes):
    """Starts the node's programs and returns when it is Ready and names resolve (usually 3 s)."""
    _credentials(layout)
    say("containerd: starting, with the pause image (usually 2 s)")
    processes.start("containerd", ["containerd", "--config", layout.configure("containerd.toml")])
    processes.wait_ready("containerd", lambda: _succeeds(processes, "ctr", "version"), 30)
    load_image(processes, pause_image())
    say("kubelet, kube-proxy, CoreDNS: starting (usually 3 s)")
    layout.configure("cni.conflist", "cni/10-pods.conflist")
    (layout.folder / "config/resolv.conf").write_text("")
    processes.start("kubelet", _kubelet(layout))
    processes.start("kube-proxy", _kube_proxy(layout))
    processes.start("coredns", [layout.program("coredns"), "-conf", layout.configure("Corefile")])
    processes.wait_ready("coredns", lambda: _answers(f"http://{layout.address}:8181/ready"), 60)
    processes.wait_ready(
        "kube-proxy", lambda: _answers(f"http://{layout.address}:10256/healthz"), 60
    )
    kubectl = Kubectl(layout)
    processes.wait_ready("kubelet", lambda: kubectl.succeeds("get", "node", NODE_NAME), 60)
    condition = "jsonpath={.status.conditions[?(@.type=='Ready')].status}"
    is_ready = lambda: kubectl.run("get", "node", NODE_NAME, "-o", condition) == "True"  # noqa: E731
    processes.wait_ready("kubelet", is_ready, 120)


def _credentials(layout):
    pki = Pki(layout.pki, layout.server)
    pki.serving("kubelet-serving", f"system:node:{NODE_NAME}", [NODE_NAME], [layout.address])
    pki.client("kubelet", f"system:node:{NODE_NAME}", "system:nodes")
    pki.client("kube-proxy", "system:kube-proxy")
    pki.client("coredns", "coredns", "system:masters")


def _kubelet(layout):
    return [
        layout.program("kubelet"),
        f"--config={layout.configure('kubelet.yaml')}",
        f"--kubeconfig={layout.pki}/kubelet.kubeconfig",
        f"--hostname-override={NODE_NAME}",
        f"--node-ip={layout.address}",
    ]


def _kube_proxy(layout):
    return [
        layout.program("kube-proxy"),
        f"--kubeconfig={layout.pki}/kube-proxy.kubeconfig",
        f"--hostname-override={NODE_NAME}",
        f"--cluster-cidr={POD_SUBNET}",
        "--proxy-mode=iptables",
        "--conntrack-max-per-core=0",  # a setting of the whole machine
        f"--healthz-bind-address={layout.address}:10256",
    ]


def pause_image():
    archive = cache_root() / "pause.tar"
    if not archive.exists():
        raise ClusterError(f"there is no {archive}; run setup/run cluster first")
    return archive


def load_image(processes, archive):
    """Imports a docker-archive or OCI archive into the node; returns the names in it."""
    with open(archive, "rb") as given:  # the archive may lie in a folder that the node hides
        words = ["ctr", "-n", "k8s.io", "images", "import", "-"]
        out = processes.namespaces.run(words, stdin=given)
    return [line.split()[1] for line in out.splitlines() if line.startswith("unpacking ")]


def host_volume(name, namespace, claim, folder):
    """A volume in a folder of this machine that only the given claim can bind to."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "capacity": {"storage": "100Gi"},
            "accessModes": ["ReadWriteMany"],
            "persistentVolumeReclaimPolicy": "Retain",
            "claimRef": {"namespace": namespace, "name": claim},
            "hostPath": {"path": str(folder)},
        },
    }


def close(layout):
    """Removes what outlives the namespaces: this machine's end of the link, and the cgroups."""
    # The end of the namespace takes the link with it, possibly at this very moment.
    subprocess.run(["ip", "link", "delete", layout.outer_link], capture_output=True, check=False)
    wait_until(lambda: not Path(f"/sys/class/net/{layout.outer_link}").exists(), 10, f"the end of the link {layout.outer_link}")
    for hierarchy in cgroup_hierarchies():
        top = hierarchy / layout.cgroup.lstrip("/")
        # The kernel lets go of a cgroup a moment after its last process.
        wait_until(lambda top=top: _remove_cgroup(top), 20, f"the end of the processes in {top}")


def cgroup_hierarchies():
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    return [Path(fields[1]) for fields in mounts if fields[2] in ("cgroup", "cgroup2")]


def _remove_cgroup(top):
    for folder, _, _ in os.walk(top, topdown=False):
        try:
            os.rmdir(folder)
        except OSError:
            return False
    return True


def _succeeds(processes, *words):
    try:
        processes.namespaces.run(words)
    except ClusterError:
        return False
    return True


def _answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except (urllib.error.URLError, OSError):
        return False
