"""kubectl lockstep logs -f against a kubectl of its own, whose cluster comes and goes: every line once, whatever happens."""
import json
import os
import stat
import subprocess
import sys
import time

import pytest

from plugin_process import PROGRAM

KUBECTL = f"""#!{sys.executable}
import json, pathlib, sys
here = pathlib.Path(__file__).parent
args = sys.argv[1:]
if "logs" in args:  # every stream is cut as soon as it has told what is there
    pod = args[args.index("logs") + 1]
    since = next((a.partition("=")[2] for a in args if a.startswith("--since-time=")), "")
    sys.stdout.write("".join(l for l in (here / pod).read_text().splitlines(True) if l[:19] >= since[:19]))
elif (here / "away").exists():
    sys.exit("Unable to connect to the server: dial tcp 127.0.0.1:1: connect: connection refused")
elif any(a.startswith("trainingjobs") for a in args):
    sys.stdout.write((here / "job").read_text())
else:
    sys.stdout.write((here / "pods").read_text())
"""


class Cluster:
    """One job of two nodes, and what kubectl says of it."""

    def __init__(self, folder):
        self.folder = folder
        self.kubectl = folder / "kubectl"
        self.kubectl.write_text(KUBECTL)
        self.kubectl.chmod(self.kubectl.stat().st_mode | stat.S_IXUSR)

    def put(self, name, text):
        """In one piece: kubectl reads at any time."""
        new = self.folder / "new"
        new.write_text(text)
        new.rename(self.folder / name)

    def shows(self, attempt, *states, conditions=()):
        self.put("job", json.dumps({
            "metadata": {"name": "fashion", "namespace": "ml", "uid": "u", "generation": 1}, "spec": {"numNodes": 2, "image": "x"},
            "status": {"attempt": attempt, "worldSize": 2, "nodes": {"desired": 2}, "podsCreated": True,
                       "conditions": [{"type": c, "status": "True", "reason": "R"} for c in conditions]}}))
        self.put("pods", json.dumps({"items": [{
            "metadata": {"name": f"fashion-{rank}", "namespace": "ml", "uid": f"{attempt}-{rank}",
                         "labels": {"lockstep.dev/job-name": "fashion", "lockstep.dev/job-uid": "u",
                                    "lockstep.dev/attempt": str(attempt), "lockstep.dev/node-rank": str(rank)}},
            "status": {"containerStatuses": [{"name": "trainer", "state": {state: {}}}]}} for rank, state in enumerate(states)]}))

    def log(self, rank, *lines):
        self.put(f"fashion-{rank}", "".join(f"2026-01-02T03:04:{line}\n" for line in lines))


@pytest.fixture
def cluster(tmp_path):
    return Cluster(tmp_path)


@pytest.fixture
def following(cluster):
    cluster.shows(1, "running", "waiting")
    cluster.log(0, "05.1Z a0", "05.2Z a1")
    with open(cluster.folder / "out", "w") as out, open(cluster.folder / "err", "w") as err:
        process = subprocess.Popen([str(PROGRAM), "logs", "fashion", "-f", "-n", "ml"], stdout=out, stderr=err,
                                   env={**os.environ, "KUBECTL": str(cluster.kubectl)})
    yield process
    process.kill()
    process.wait()


def wait_for(cluster, name, text):
    deadline = time.monotonic() + 60
    while text not in (cluster.folder / name).read_text():
        assert time.monotonic() < deadline, f"{text!r} never came:\n" + (cluster.folder / name).read_text()
        time.sleep(0.05)


def test_every_line_is_told_once_through_cuts_late_nodes_outages_and_restarts(cluster, following):
    wait_for(cluster, "out", "a1\n")
    cluster.log(0, "05.1Z a0", "05.2Z a1", "05.3Z a2")  # the same second goes on after a cut
    wait_for(cluster, "out", "a2\n")
    cluster.log(1, "20.0Z b0")
    cluster.shows(1, "running", "running")
    wait_for(cluster, "out", "b0\n")
    cluster.put("away", "")
    wait_for(cluster, "err", "connection refused: trying again")
    cluster.log(0, "05.1Z a0", "05.2Z a1", "05.3Z a2", "30.0Z a3")
    (cluster.folder / "away").unlink()
    wait_for(cluster, "out", "a3\n")
    cluster.shows(2, "waiting", "waiting")
    wait_for(cluster, "err", "attempt 1 is over, the next one follows")
    cluster.log(0, "40.0Z c0")
    cluster.log(1, "40.0Z d0", "41.0Z d1")
    cluster.shows(2, "terminated", "terminated", conditions=["Complete"])
    assert following.wait(60) == 0
    told = (cluster.folder / "out").read_text().split()
    assert sorted(told) == ["a0", "a1", "a2", "a3", "b0", "c0", "d0", "d1"]
    assert (cluster.folder / "err").read_text().count("trying again") == 1
