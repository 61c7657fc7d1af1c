"""Long-running programs that outlive the command which starts them.

Each has a record (process id and start time) and a log in the cluster's folder. The start time
makes the id safe to use: a later process that gets the same id is never mistaken for ours.
"""

import json
import os
import signal
import subprocess
from pathlib import Path

from progress import ClusterError, wait_until


def start_time(pid):
    """Clock ticks from boot to the start of a process; None when it has ended, reaped or not."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def write_aside(path, text):
    """Writes a file that is whole or absent."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    aside.write_text(text)
    aside.rename(path)


class Processes:
    """The programs of one cluster, by name. With namespaces, programs start inside them."""

    def __init__(self, folder):
        self.records = folder / "processes"
        self.logs = folder / "logs"
        self.namespaces = None

    def start(self, name, argv, inside=True):
        self.records.mkdir(parents=True, exist_ok=True)
        self.logs.mkdir(exist_ok=True)
        namespaces = self.namespaces if inside else None
        with open(self.log(name), "ab") as log:
            options = {
                "stdin": subprocess.DEVNULL,
                "stdout": log,
                "stderr": log,
                "start_new_session": True,
                "cwd": "/",
            }
            spawn = namespaces.spawn if namespaces else subprocess.Popen
            pid = spawn([str(word) for word in argv], **options).pid
        record = {
            "pid": pid,
            "start_time": start_time(pid),
            "argv": [str(word) for word in argv],
            "inside": bool(namespaces),
        }
        write_aside(self.records / f"{name}.json", json.dumps(record))

    def names(self):
        """Every program with a record, running or not, in the order in which they were started."""
        found = sorted(self.records.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        return [path.stem for path in found if not path.name.startswith(".")]

    def record(self, name):
        try:
            return json.loads((self.records / f"{name}.json").read_text())
        except FileNotFoundError:
            known = ", ".join(self.names()) or "none"
            raise ClusterError(f"this cluster has no program {name!r}; it has {known}") from None

    def running_pid(self, name):
        """The process id of a running program, or None."""
        record = self.record(name)
        if record["start_time"] is None or start_time(record["pid"]) != record["start_time"]:
            return None
        return record["pid"]

    def stop(self, name, ending=signal.SIGTERM, grace=10):
        """Ends a program, by force after the grace time. The record stays, for a restart."""
        pid = self.running_pid(name)
        if pid is None:
            return
        os.kill(pid, ending)
        try:
            wait_until(lambda: self.running_pid(name) is None, grace, f"the end of {name}")
        except ClusterError:
            os.kill(pid, signal.SIGKILL)
            wait_until(
                lambda: self.running_pid(name) is None, grace, f"the end of {name} after SIGKILL"
            )

    def kill(self, name):
        """Ends a program at once; kube-apiserver would take a minute while watches are open."""
        self.stop(name, signal.SIGKILL)

    def restart(self, name):
        record = self.record(name)
        self.stop(name)
        self.start(name, record["argv"], inside=record["inside"])

    def wait_ready(self, name, is_ready, seconds):
        """Waits for is_ready(); if the program dies or time runs out, the error ends in its log."""

        def ready_or_dead():
            if self.running_pid(name) is None:
                raise ClusterError(f"{name} ended while it was starting")
            return is_ready()

        try:
            wait_until(ready_or_dead, seconds, f"{name} becoming ready")
        except ClusterError as error:
            tail = self.log_tail(name)
            raise ClusterError(f"{error}; the end of {self.log(name)}:\n{tail}") from None

    def log(self, name):
        return self.logs / f"{name}.log"

    def log_tail(self, name, lines=15):
        return "\n".join(
            "  " + line[:400]
            for line in self.log(name).read_text(errors="replace").splitlines()[-lines:]
        )
