#!/usr/bin/env python3
"""One rank for tests/bench/launchers.py: notes its environment, says that it is ready, and works until something happens to it.
usage: rank.py FOLDER [MODULE to import first]"""
import importlib
import json
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


def main(folder, module=None):
    environment = dict(os.environ)
    if module:
        importlib.import_module(module)
    signal.signal(signal.SIGUSR1, lambda *_: os._exit(3))
    (Path(folder) / f"{environment['RANK']}.json").write_text(json.dumps(environment))
    print(f"ready {environment['RANK']} {os.getpid()} .", flush=True)
    step = 0
    while True:
        report(phase="step", step=(step := step + 1))
        time.sleep(0.1)


main(*sys.argv[1:])
