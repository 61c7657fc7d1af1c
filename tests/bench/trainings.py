"""One training by lockstep-train under lockstep-launch, or the same by Python's DistributedDataParallel under torchrun;
each gives the same figures: steps a second after the warm-up, seconds to the first step, memory, seconds of saving."""
import gzip
import json
import os
import re
import statistics
import struct
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lockstep"
FASHION = Path("/usr/share/datasets/fashion-mnist")
RANKS = 2
VALIDATION = 64  # images: the evaluation at the end is none of the measurement


@dataclass
class Programs:
    train: Path = ROOT / "build/dev/trainer/lockstep-train"
    launch: Path = ROOT / "build/dev/trainer/launch/lockstep-launch"
    python: Path = CACHE / "parity-venv/bin/python"


@dataclass
class Figures:
    steps_per_second: float = 0
    first_step_seconds: float = 0
    mebibytes: float = 0  # the most of any rank
    lines: list = field(default_factory=list)  # of metrics.jsonl, where there is one


def environment():
    cleared = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
    return cleared | {"OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR"}


def write_fashion(folder):
    """Fashion-MNIST, unpacked, with a few of its images to evaluate with."""
    images = gzip.decompress((FASHION / "train-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((FASHION / "train-labels-idx1-ubyte.gz").read_bytes())
    pixels = VALIDATION * 28 * 28
    (folder / "images").write_bytes(images)
    (folder / "labels").write_bytes(labels)
    (folder / "few-images").write_bytes(images[:4] + struct.pack(">III", VALIDATION, 28, 28) + images[16:16 + pixels])
    (folder / "few-labels").write_bytes(labels[:4] + struct.pack(">I", VALIDATION) + labels[8:8 + VALIDATION])


def fashion_settings(folder):
    return {"data.train.path": folder, "data.train.images": "images", "data.train.labels": "labels",
            "data.val.path": folder, "data.val.images": "few-images", "data.val.labels": "few-labels"}


def of_lockstep(programs, settings, ranks=RANKS, limit=1200):
    """Settings that are not given are those of a run without end; train.max_steps or train.epochs ends it, and so do
    `limit` seconds. Throws RuntimeError with the last lines of one that fails."""
    with tempfile.TemporaryDirectory() as logs:
        usual = {"train.epochs": 1000, "train.eval_every_epochs": 1000, "schedule.name": "constant",
                 "log.directory": logs}
        words = [word for name, value in (usual | settings).items() for word in ("--set", f"{name}={value}")]
        command = [programs.launch, "--standalone", f"--nproc={ranks}", "--progress-port=0", "--",
                   programs.train, "run", *words]
        began = time.time()
        running = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, env=environment())
        watchdog = threading.Timer(limit, running.terminate)  # the launcher ends its ranks
        watchdog.start()
        output, mebibytes = [], 0
        for line in running.stdout:
            output.append(line)
            if " step " in line:
                mebibytes = max(mebibytes, most_memory_of_children(running.pid))
        watchdog.cancel()
        if running.wait() != 0:
            raise RuntimeError(f"lockstep-train ended with {running.returncode}:\n{''.join(output[-30:])}")
        lines = [json.loads(line) for line in (Path(logs) / "metrics.jsonl").read_text().splitlines()]
    steps = [line for line in lines if line["kind"] == "train"]
    first, last = steps[0], steps[-1]
    seconds = last["time"] - first["time"]
    rate = (last["step"] - first["step"]) / seconds if seconds > 0 else 0
    return Figures(rate, first["time"] - began, mebibytes, steps)


def most_memory_of_children(parent):
    """VmHWM in MiB."""
    most = 0
    for file in Path("/proc").glob("[0-9]*/status"):
        try:
            status = file.read_text()
        except OSError:  # it has ended
            continue
        if f"\nPPid:\t{parent}\n" in status and (told := re.search(r"VmHWM:\s+(\d+)", status)):
            most = max(most, int(told[1]) / 1024)
    return most


def of_python(programs, case, ranks=RANKS):
    """The figures, and all that tests/bench/python_training.py tells."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.json"
        (Path(folder) / "case.json").write_text(json.dumps(case))
        command = [programs.python, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={ranks}",
                   ROOT / "tests/bench/python_training.py", Path(folder) / "case.json", told]
        began = time.time()
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment())
        if done.returncode != 0:
            raise RuntimeError(f"Python's training ended with {done.returncode}:\n{done.stderr[-3000:]}")
        all_told = json.loads(told.read_text())
    steps = case["steps"] - case["warmup"]
    rate = steps / all_told["seconds"] if steps else 0
    return Figures(rate, all_told["first_step_at"] - began, all_told["mebibytes"]), all_told


def seconds_of_saving(lines, every):
    """How much longer the step after a save was than the others, and how much longer it and all to the next save were
    together; medians."""
    gaps = [(b["step"], b["time"] - a["time"]) for a, b in zip(lines, lines[1:])]
    usual = statistics.median(seconds for step, seconds in gaps if step % every != 1)
    starts = [i for i, (step, _) in enumerate(gaps) if step % every == 1 and step > every and i + every <= len(gaps)]
    rounds = [sum(seconds - usual for _, seconds in gaps[i:i + every]) for i in starts]
    return statistics.median(gaps[i][1] for i in starts) - usual, statistics.median(rounds)
