#!/usr/bin/env python3
"""lockstep-launch beside torchrun: the same script, the same faults, in turn. Prints the tables of docs/performance.md and, with --write,
puts them there. Fails when a variable differs that should not, or when lockstep-launch names a wrong root cause."""
import argparse
import json
import os
import random
import re
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import document

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ROOT / "build" / "dev" / "trainer" / "launch" / "lockstep-launch"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lockstep"
RANKS = 4
HANG_TIMEOUT = 2  # seconds
NEVER = float("inf")

FOLLOWED = "kill -9, 10 ms later the others exit 3"

# Fault -> the signal that causes it, the exit code or minus the signal that is the root cause.
FAULTS = {"kill -9": (signal.SIGKILL, -9), "exit 3": (signal.SIGUSR2, 3), "SIGTERM": (signal.SIGTERM, -15),
          FOLLOWED: (signal.SIGKILL, -9), "SIGSTOP": (signal.SIGSTOP, "hang")}

INTENDED = {
    "LOCKSTEP_STATUS": "where a rank tells its progress",
    "MASTER_ADDR": "an address needs no name service",
    "MASTER_PORT": "a free port in both",
    "OMP_NUM_THREADS": "this rank's share of the CPUs, rather than always 1",
    "TORCHELASTIC_ERROR_FILE": "any program's last lines are kept, not only what Python's `record` writes",
    "TORCHELASTIC_RUN_ID": "the job's UID under the operator, else none",
    "TORCHELASTIC_SIGNALS_TO_HANDLE": "a setting of torchrun's own agent",
    "TORCHELASTIC_USE_AGENT_STORE": "rank 0 serves the store, so that the launcher holds no state",
}


class Run:
    """A launcher with its ranks. Ends all of them on leaving."""

    def __init__(self, name, module=None, flags=()):
        self.folder = tempfile.TemporaryDirectory()
        self.message = Path(self.folder.name) / "termination-log"
        self.message.touch()
        script = [ROOT / "tests" / "bench" / "rank.py", self.folder.name, *([module] if module else [])]
        command = {"torchrun": [TORCHRUN, "--standalone", f"--nproc-per-node={RANKS}", *script],
                   "lockstep-launch": [LAUNCH, "--standalone", f"--nproc={RANKS}", "--progress-port=0", *flags, "--",
                                       TORCHRUN.with_name("python3"), *script]}[name]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP_", "OMP_"))}
        began = time.monotonic()
        self.launcher = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         env={**environment, "LOCKSTEP_TERMINATION_LOG": str(self.message)})
        self.output, self.pids, self.handles = b"", {}, {}
        try:
            self.wait_for_ranks()
        except BaseException:
            self.launcher.terminate()  # it ends its ranks
            raise
        self.start_seconds = time.monotonic() - began
        self.mebibytes = int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.launcher.pid}/status").read_text())[1]) / 1024

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.launcher.kill()
        self.signal(self.pids, signal.SIGKILL)
        for handle in self.handles.values():
            os.close(handle)
        self.launcher.communicate()
        self.folder.cleanup()

    def wait_for_ranks(self):
        while len(self.pids) < RANKS:
            self.pids = {int(rank): int(pid) for rank, pid in re.findall(rb"ready (\d) (\d+) \.", self.read())}
        self.handles = {rank: os.pidfd_open(pid) for rank, pid in self.pids.items()}

    def read(self):
        """More of the output; all of it so far. A launcher that ends or is silent for long is an error."""
        ready, _, _ = select.select([self.launcher.stdout], [], [], 180)
        more = os.read(self.launcher.stdout.fileno(), 1 << 16) if ready else b""
        if not more:
            raise RuntimeError(f"{self.launcher.args[0]} did not start {RANKS} ranks:\n{self.output.decode()}")
        self.output += more
        return self.output

    def signal(self, ranks, number):
        for rank in ranks:
            try:
                signal.pidfd_send_signal(self.handles[rank], number)
            except ProcessLookupError:  # it has ended
                pass

    def environment(self, rank):
        seen = json.loads((Path(self.folder.name) / f"{rank}.json").read_text())
        return {name: value for name, value in seen.items() if name != "LOCKSTEP_TERMINATION_LOG"}  # ours

    def seconds_until_gone(self, ranks, patience):
        began = time.monotonic()
        waiting = select.poll()
        left = {self.handles[rank] for rank in ranks}
        for handle in left:
            waiting.register(handle, select.POLLIN)
        while left:
            ready = waiting.poll(max(0, began + patience - time.monotonic()) * 1000)
            if not ready:
                return NEVER
            for handle, _ in ready:
                waiting.unregister(handle)
                left.discard(handle)
        return time.monotonic() - began

    def root_cause(self):
        """The rank and what happened to it, as the launcher that has ended reports it."""
        text = self.launcher.communicate(timeout=60)[0].decode()
        if message := self.message.read_text():
            told = json.loads(message)
            return told["rank"], "hang" if "hang" in told else -told["signal"] or told["exitCode"]
        told = re.search(r"Root Cause.*?rank\s*: (\d+).*?exitcode\s*: (-?\d+)", text, re.S)
        return (int(told[1]), int(told[2])) if told else None


def strike(name, fault, rank, patience):
    """One round: seconds until the siblings of the rank are gone, and whether the root cause is right."""
    number, truth = FAULTS[fault]
    with Run(name, flags=[f"--hang-timeout={HANG_TIMEOUT}"] if fault == "SIGSTOP" else []) as run:
        siblings = set(run.pids) - {rank}
        time.sleep(random.uniform(0, 0.3))  # at no fixed time of a launcher that looks every now and then
        run.signal({rank}, number)
        if fault == FOLLOWED:
            time.sleep(0.01)
            run.signal(siblings, signal.SIGUSR2)
        seconds = run.seconds_until_gone(siblings, patience)
        return seconds, seconds < NEVER and run.root_cause() == (rank, truth)


def milliseconds(seconds, patience):
    return f"{seconds * 1000:.0f} ms" if seconds < NEVER else f"not within {patience} s"


def fault_row(fault, rounds, patience):
    results = {"torchrun": [], "lockstep-launch": []}
    for _ in range(rounds):
        rank = random.randrange(RANKS)
        for name, rows in results.items():
            rows.append(strike(name, fault, rank, patience))
    cells = []
    for rows in results.values():
        times = [seconds for seconds, _ in rows]
        cells += [milliseconds(statistics.median(times), patience), milliseconds(max(times), patience),
                  f"{sum(is_right for _, is_right in rows)} of {rounds}"]
    theirs, ours = results.values()
    ratio = statistics.median(min(a, patience) / min(b, patience) for (a, _), (b, _) in zip(theirs, ours))
    cells.append(f"{'more than ' if theirs[0][0] == NEVER else ''}{ratio:.0f}")
    if fault == FOLLOWED:  # the siblings end by themselves
        cells = ["", "", cells[2], "", "", cells[5], ""]
    return f"| {fault} | " + " | ".join(cells) + " |", all(is_right for _, is_right in ours)


def start_row(what, unit, measure, rounds, module=None):
    values = {"torchrun": [], "lockstep-launch": []}
    for _ in range(rounds):
        for name, numbers in values.items():
            with Run(name, module) as run:
                numbers.append(measure(run))
    theirs, ours = (statistics.median(numbers) for numbers in values.values())
    return f"| {what} | {theirs:.3g} {unit} | {ours:.3g} {unit} | {theirs / ours:.1f} |"


def environment_rows():
    environments = []
    for name in ("torchrun", "lockstep-launch"):
        with Run(name) as run:
            environments.append(run.environment(1))
    theirs, ours = environments
    different = sorted(n for n in theirs | ours if theirs.get(n) != ours.get(n))
    shown = [re.sub(r"/\S*/|[0-9a-f-]{36}", "…", str(e.get(n, "not set"))) for n in different for e in environments]
    rows = [f"| `{name}` | {a} | {b} | {INTENDED.get(name, 'NOT INTENDED')} |"
            for name, a, b in zip(different, shown[::2], shown[1::2])]
    return rows, set(different) <= set(INTENDED)


def tell_tables(tell, faults, rounds, patience):
    """Line by line; returns whether all is as it should be."""
    rows, fine = environment_rows()
    for line in ("| Variable of rank 1 | torchrun | lockstep-launch | intended: |", "|---|---|---|---|", *rows, "",
                 "Every other variable is equal.", "",
                 f"{rounds} rounds each, in turn, against a random rank of {RANKS}. Time until its siblings are gone, and how often the "
                 "root cause was named rightly (rank, and exit code or signal):", "",
                 "| Fault | torchrun, median | worst | right | lockstep-launch, median | worst | right | times sooner |",
                 "|---|---|---|---|---|---|---|---|"):
        tell(line)
    for fault in faults:
        row, is_right = fault_row(fault, rounds, patience)
        fine = fine and is_right
        tell(row)
    if "SIGSTOP" in faults:
        tell(f"\nSIGSTOP: torchrun does not look for it; `lockstep-launch --hang-timeout {HANG_TIMEOUT}` counts from the last report of any "
             "rank.")
    for line in ("", "| | torchrun | lockstep-launch | ratio |", "|---|---|---|---|"):
        tell(line)
    few = max(1, rounds // 7)
    tell(start_row(f"start to the first line of all {RANKS} ranks", "s", lambda run: run.start_seconds, rounds))
    tell(start_row("the same, ranks that import torch", "s", lambda run: run.start_seconds, few, "torch"))
    tell(start_row("resident memory of the launcher", "MiB", lambda run: run.mebibytes, few))
    return fine


def main():
    global TORCHRUN
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--torchrun", type=Path, default=CACHE / "parity-venv" / "bin" / "torchrun", help="of a Python that has torch")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only this one; may be repeated")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--patience", type=int, default=20, help="seconds after which a fault counts as not noticed")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {document.DOCUMENT.relative_to(ROOT)}")
    options = parser.parse_args()
    TORCHRUN = options.torchrun
    if not TORCHRUN.exists():
        parser.error(f"no {TORCHRUN}: name a torchrun with --torchrun (python3 -m venv DIR && DIR/bin/pip install torch)")
    random.seed(options.seed)
    print(f"seed {options.seed}")
    lines = []

    def tell(line):
        lines.append(line)
        print(line, flush=True)

    is_fine = tell_tables(tell, options.fault or FAULTS, options.rounds, options.patience)
    if options.write:
        document.write("launchers.py", lines)
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
