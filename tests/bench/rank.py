#!/usr/bin/env python3
"""One rank for tests/bench/launchers.py: notes its environment, says that it is ready, and steps with
the others until something happens to it.
usage: rank.py FOLDER [MODULE to import first]"""
import importlib
import json
import mmap
import os
import signal
import sys
import time
from pathlib import Path


def report(**fields):
    """As docs/progress.md has it; torchrun gives no LOCKSTEP_STATUS."""
    if path := os.environ.get("LOCKSTEP_STATUS"):
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "wb", 0) as status:
            status.write(json.dumps(fields).encode() + b"\n")


def counters(folder, size):
    """One number a rank, which all of them see."""
    handle = os.open(Path(folder) / "steps", os.O_RDWR | os.O_CREAT)
    os.ftruncate(handle, 8 * size)
    return memoryview(mmap.mmap(handle, 8 * size)).cast("q")


def main(folder, module=None):
    environment = dict(os.environ)
    rank, size = int(environment["RANK"]), int(environment["WORLD_SIZE"])
    if module:
        importlib.import_module(module)
    signal.signal(signal.SIGUSR2, lambda *_: os._exit(3))
    (Path(folder) / f"{rank}.json").write_text(json.dumps(environment))
    steps = counters(folder, size)
    print(f"ready {rank} {os.getpid()} .", flush=True)
    while True:
        steps[rank] += 1
        while min(steps) < steps[rank]:  # as in an all-reduce
            time.sleep(0.01)
        report(phase="step", step=steps[rank])
        time.sleep(0.1)


main(*sys.argv[1:])
