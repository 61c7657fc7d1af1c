"""The side of lockstep-train: runs a case, returns the losses of its steps and a checksum of its last weights."""
import json
import os
import subprocess
import zlib
from pathlib import Path

import cases

BUILD = Path(__file__).resolve().parents[2] / "build" / "dev" / "trainer"
RANKS = 2


def environment():
    return os.environ | {"OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}


def by_lockstep(case, folder, scratch):
    output = scratch / "checkpoints"
    command = [BUILD / "launch" / "lockstep-launch", "--standalone", "--nproc", str(RANKS), "--", BUILD / "lockstep-train", "run",
               *cases.settings(case, folder), "--set", f"checkpoint.directory={output}", "--set", "checkpoint.every_epochs=0"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"lockstep-train ended with {done.returncode}:\n{done.stdout[-3000:]}{done.stderr[-2000:]}")
    lines = [json.loads(line) for line in (output / "logs/metrics/metrics.jsonl").read_text().splitlines()]
    weights = output / f"step-{case['steps']}" / "model.safetensors"
    return {"losses": [line["loss"] for line in lines if line["kind"] == "train"], "weights_crc32": crc_of(weights)}


def crc_of(file):
    """Over the tensors' bytes in the order of their names, as python_ddp.py has it."""
    content = file.read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + size])
    crc = 0
    for name in sorted(set(header) - {"__metadata__"}):
        begin, end = header[name]["data_offsets"]
        crc = zlib.crc32(content[8 + size + begin:8 + size + end], crc)
    return crc
