"""Where one cluster's files are and which addresses and ports it uses.

A cluster has a slot, a small number that no other cluster has. Without a node everything listens on
loopback, on ports that follow from the slot. With a node everything lives in namespaces of its own,
on an address that follows from it.
"""

import fcntl
import json
import os
import re
import shutil
import socket
import string
from contextlib import contextmanager
from pathlib import Path

from processes import write_aside
from progress import ClusterError

SLOTS = 200
FIRST_PORT = 21000  # below the range from which the kernel takes ports for outgoing connections
NODE_NAME = "lockstep-node"
BRIDGE = "pods0"
BRIDGE_ADDRESS = "10.244.0.1"
POD_SUBNET = "10.244.0.0/24"
SERVICE_SUBNET = "10.96.0.0/16"
FIRST_SERVICE_ADDRESS = "10.96.0.1"  # what pods know as kubernetes.default
HIDDEN_INSIDE = ("/run", "/var/lib", "/var/log")  # a node has its own


def state_root():
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "lockstep"


def cache_root():
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lockstep"


def programs_folder():
    return Path(os.environ.get("LOCKSTEP_KUBERNETES_BIN") or cache_root() / "kubernetes-bin")


class Layout:
    """One cluster's folder, slot and kind; `create` claims a slot, `load` finds a cluster."""

    def __init__(self, name, slot=None, has_node=None):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?", name):
            raise ClusterError(
                f"{name!r} cannot name a cluster; use up to 30 of a-z, 0-9 and dashes inside"
            )
        self.name = name
        self.slot = slot
        self.has_node = has_node
        self.folder = state_root() / name
        self.pki = self.folder / "pki"
        self.kubeconfig = self.pki / "admin.kubeconfig"
        self.volumes = self.folder / "volumes"

    @classmethod
    def load(cls, name):
        """The cluster of this name, or None when there is none."""
        layout = cls(name)
        try:
            known = json.loads((layout.folder / "cluster.json").read_text())
        except FileNotFoundError:
            return None
        return cls(name, known["slot"], known["has_node"])

    @classmethod
    def create(cls, name, has_node):
        for hidden in HIDDEN_INSIDE:
            if has_node and state_root().resolve().is_relative_to(hidden):
                raise ClusterError(
                    f"{state_root()} lies under {hidden}, which a node hides; "
                    "set XDG_STATE_HOME to a folder elsewhere"
                )
        with locked(".slots"):
            taken = {
                Layout.load(path.parent.name).slot for path in state_root().glob("*/cluster.json")
            }
            slot = next((s for s in range(SLOTS) if s not in taken and _is_free(s, has_node)), None)
            if slot is None:
                raise ClusterError(
                    f"all {SLOTS} places for clusters are taken; "
                    "end some with 'cluster down --name NAME'"
                )
            layout = cls(name, slot, has_node)
            layout.folder.mkdir(parents=True)
            write_aside(
                layout.folder / "cluster.json", json.dumps({"slot": slot, "has_node": has_node})
            )
        return layout

    @property
    def address(self):
        """Where the API server listens, and the address of the node."""
        return f"10.213.{self.slot}.2" if self.has_node else "127.0.0.1"

    @property
    def outer_address(self):
        """This machine's end of the link to the node."""
        return f"10.213.{self.slot}.1"

    @property
    def outer_link(self):
        return _link(self.slot)

    @property
    def api_port(self):
        return 6443 if self.has_node else FIRST_PORT + 10 * self.slot

    @property
    def etcd_port(self):
        return 2379 if self.has_node else FIRST_PORT + 10 * self.slot + 1

    @property
    def etcd_peer_port(self):
        return self.etcd_port + 1

    @property
    def server(self):
        return f"https://{self.address}:{self.api_port}"

    @property
    def cgroup(self):
        return f"/lockstep-{self.name}"

    def program(self, name):
        """A Kubernetes program that set-up has built, or one that Debian installs."""
        built = programs_folder() / name
        if built.exists():
            return built
        found = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
        if not found:
            raise ClusterError(
                f"no program {name} in {programs_folder()} or /usr; run setup/run cluster first"
            )
        return found

    def configure(self, template, destination=None):
        """Fills in a file of config/ and returns the path of the result in the cluster's folder."""
        source = (Path(__file__).parent / "config" / template).read_text()
        path = self.folder / "config" / (destination or template)
        path.parent.mkdir(parents=True, exist_ok=True)
        values = {
            "folder": self.folder, "address": self.address, "cgroup": self.cgroup, "bridge": BRIDGE,
            "bridge_address": BRIDGE_ADDRESS, "pod_subnet": POD_SUBNET,
        }  # fmt: skip
        path.write_text(string.Template(source).substitute(values))
        return path


@contextmanager
def locked(name):
    """Holds a lock among this user's commands; with a cluster's name they take turns on it."""
    state_root().mkdir(parents=True, exist_ok=True)
    with open(state_root() / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _link(slot):
    return f"lockstep{slot}"


def _is_free(slot, has_node):
    if has_node:
        return not Path(f"/sys/class/net/{_link(slot)}").exists()
    return all(_can_listen(FIRST_PORT + 10 * slot + offset) for offset in range(3))


def _can_listen(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
