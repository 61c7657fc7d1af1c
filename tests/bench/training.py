#!/usr/bin/env python3
"""lockstep-train beside Python's torch: the same training, in turn. Prints the tables of docs/performance.md and, with
--write, puts them there. Python is the one of `setup/run parity`."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import document
import trainings


class Size(NamedTuple):
    name: str
    model: dict
    batch: int  # of both ranks
    warmup: int  # steps
    steps: int  # with the warm-up
    is_lean: bool = False  # Python without DataLoader, which is a large part of a small step


SMALL, MIDDLE = {"model": "mlp", "hidden": [32]}, {"model": "mlp", "hidden": [128]}
SIZES = [
    Size("mlp, hidden [32]", SMALL, 16, 200, 3200),
    Size("the same, Python without DataLoader", SMALL, 16, 200, 3200, is_lean=True),
    Size("mlp, hidden [128]", MIDDLE, 64, 100, 1600),
    Size("the same, Python without DataLoader", MIDDLE, 64, 100, 1600, is_lean=True),
    Size("mlp, hidden [1024, 1024]", {"model": "mlp", "hidden": [1024, 1024]}, 128, 10, 110),
    Size("lenet", {"model": "lenet"}, 64, 50, 550),
    Size("resnet18", {"model": "resnet18"}, 16, 2, 12),
]
SAVED = ({"model": "mlp", "hidden": [2048, 2048]}, 16)
SAVE_EVERY = 10  # steps: a checkpoint is written before the next one is due
FORTUNES = Path("/usr/share/games/fortunes")
WORDS = 100  # of each text
TEXTS = {"data.train.format": "records", "data.train.path": FORTUNES, "data.longest": WORDS,
         "model.name": "text-classifier", "model.width": 32, "model.layers": 1,
         "train.batch_size": 64, "train.epochs": 1, "log.every_steps": 10}
SAMPLERS = {"plain shuffling": {"data.sampler.name": "distributed"},
            "length_bucket": {"data.sampler.name": "length_bucket", "data.sampler.up_to": [20, 40, 70]}}
PICTURES, PICTURE_BATCH = 300, 30


def settings_of(model):
    return {f"model.{'name' if key == 'model' else key}": value for key, value in model.items()}


def in_turn(rounds, *measures):
    """One list for each measure; A B A B, so that a machine whose speed drifts slows all."""
    return list(zip(*([measure() for measure in measures] for _ in range(rounds))))


def median_ratio(above, below):
    return statistics.median(a / b for a, b in zip(above, below))


def step_rows(programs, rounds, share):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trainings.write_fashion(folder)
        for what, model, batch, warmup, steps, is_lean in SIZES:
            steps = warmup + max(1, round((steps - warmup) * share))
            ours = trainings.fashion_settings(folder) | settings_of(model) | {
                "train.batch_size": batch, "train.max_steps": steps, "log.every_steps": warmup}
            theirs = model | {"folder": name, "batch_size": batch, "warmup": warmup, "steps": steps, "is_lean": is_lean}
            python, lockstep = in_turn(rounds, lambda: trainings.of_python(programs, theirs)[0],
                                       lambda: trainings.of_lockstep(programs, ours))
            rates = [[run.steps_per_second for run in runs] for runs in (python, lockstep)]
            memory = [statistics.median(run.mebibytes for run in runs) for runs in (python, lockstep)]
            yield (f"| {what} | {batch} | {statistics.median(rates[0]):.4g} | {statistics.median(rates[1]):.4g} "
                   f"| {median_ratio(rates[1], rates[0]):.2f} "
                   f"| {memory[0]:.0f} | {memory[1]:.0f} | {memory[0] / memory[1]:.1f} |")


def start_row(programs, rounds):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trainings.write_fashion(folder)
        model, batch = MIDDLE, 64
        ours = trainings.fashion_settings(folder) | settings_of(model) | {
            "train.batch_size": batch, "train.max_steps": 1, "log.every_steps": 1}
        theirs = model | {"folder": name, "batch_size": batch, "warmup": 1, "steps": 1}
        python, lockstep = in_turn(rounds, lambda: trainings.of_python(programs, theirs)[0].first_step_seconds,
                                   lambda: trainings.of_lockstep(programs, ours).first_step_seconds)
        return (f"| start of the launcher to the end of step 1 | {statistics.median(python):.2f} s "
                f"| {statistics.median(lockstep):.2f} s | {median_ratio(python, lockstep):.1f} |")


def save_rows(programs, share):
    """A step that saves against torch.save of the same state, and against one that is as safe."""
    steps = SAVE_EVERY * max(4, round(16 * share)) + 1
    model, batch = SAVED
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trainings.write_fashion(folder)
        theirs = model | {"folder": name, "batch_size": batch, "warmup": 1, "steps": steps, "save_every": SAVE_EVERY}
        ours = trainings.fashion_settings(folder) | settings_of(model) | {
            "train.batch_size": batch, "train.max_steps": steps, "log.every_steps": 1,
            "checkpoint.every_steps": SAVE_EVERY, "checkpoint.directory": folder / "checkpoints"}
        told = trainings.of_python(programs, theirs)[1]
        size = (folder / "python.pt").stat().st_size / 2**20
        lockstep, in_all = trainings.seconds_of_saving(trainings.of_lockstep(programs, ours).lines, SAVE_EVERY)
    durable = "torch.save, then fsync and rename"
    for what, key, ours in (("step takes longer (torch.save)", "saves", lockstep),
                            (f"step takes longer ({durable})", "durable_saves", lockstep),
                            (f"step and the {SAVE_EVERY - 1} after it take longer ({durable})", "durable_saves", in_all)):
        python = statistics.median(told[key])
        yield (f"| checkpoint of {size:.0f} MiB, how long the {what} | {python * 1000:.0f} ms "
               f"| {ours * 1000:.0f} ms | {python / ours:.1f} |")


def lengths_of_fortunes():
    """Words of each text, as trainer/data counts them."""
    files = sorted(file for file in FORTUNES.iterdir() if "." not in file.name)
    texts = [text for file in files for text in re.split(rb"^%\n", file.read_bytes() + b"\n", flags=re.M)]
    words = [re.findall(rb"[a-z0-9'\x80-\xff]+|[^\s]", text.lower()) for text in texts if text.strip()]
    return [min(WORDS, len(text)) for text in words]


def waste(programs, sampler):
    """The share of padding among all values, as `lockstep-train plan` tells it."""
    with tempfile.NamedTemporaryFile("w") as lengths:
        lengths.write("\n".join(map(str, lengths_of_fortunes())) + "\n")
        lengths.flush()
        words = [word for name, value in sampler.items() for word in ("--set", f"{name}={value}")]
        command = [programs.train, "plan", "--lengths", lengths.name, "--world", trainings.RANKS, "--batch-size",
                   TEXTS["train.batch_size"], "--sample", 0, *words]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["padding"]["waste"]


def epoch_seconds(programs, sampler, share):
    """Of a whole epoch, from its part after the first log line; the share of it that rank 0 waited for the other."""
    end = {} if share >= 1 else {"train.max_steps": 40}
    lines = trainings.of_lockstep(programs, TEXTS | sampler | end).lines
    first, last = lines[0], lines[-1]
    seconds = (last["time"] - first["time"]) / (last["step"] - first["step"]) * last["step"]
    return seconds, statistics.mean(line["comm_wait"] for line in lines)


def length_rows(programs, rounds, share):
    measures = [lambda sampler=sampler: epoch_seconds(programs, sampler, share) for sampler in SAMPLERS.values()]
    runs = in_turn(rounds, *measures)
    for (name, sampler), results in zip(SAMPLERS.items(), runs):
        ratio = median_ratio([seconds for seconds, _ in runs[0]], [seconds for seconds, _ in results])
        seconds, waits = zip(*results)
        yield (f"| {name} | {waste(programs, sampler):.0%} | {statistics.median(seconds):.1f} s "
               f"| {statistics.median(waits):.0%} | {ratio:.2f} |")


def picture_row(programs, rounds, share):
    epochs = max(2, round(6 * share))
    script = trainings.ROOT / "tests/bench/python_pictures.py"

    def python(*words):
        return subprocess.run([str(word) for word in (programs.python, script, *words)], check=True,
                              capture_output=True, text=True, env=trainings.environment()).stdout

    with tempfile.TemporaryDirectory() as folder:
        python("make", folder, PICTURES)
        ours = {"data.train.format": "folder", "data.train.path": folder, "data.holdout": 0.1, "data.image_size": 224,
                "data.augment.crop": "resized", "data.augment.flip": "true", "data.mean": [0.485, 0.456, 0.406],
                "data.std": [0.229, 0.224, 0.225], "data.threads": 1, "model.name": "mlp", "model.hidden": [],
                "train.batch_size": PICTURE_BATCH, "train.epochs": epochs, "log.every_steps": 9}
        theirs, runs = in_turn(rounds, lambda: float(python("load", folder, PICTURE_BATCH, epochs)),
                               lambda: trainings.of_lockstep(programs, ours, ranks=1))
    rates = [run.steps_per_second * PICTURE_BATCH for run in runs]
    wait = statistics.mean(line["data_wait"] for run in runs for line in run.lines[1:])
    row = (f"| pictures a second from one loader thread (worker process), cropped and flipped to 224 x 224 "
           f"| {statistics.median(theirs):.0f} | {statistics.median(rates):.0f} | {median_ratio(rates, theirs):.2f} |")
    return row, wait


def tell_tables(tell, programs, rounds, share):
    for line in (f"{trainings.RANKS} ranks, Gloo, one thread each, {rounds} rounds in turn, medians; load average at "
                 f"the start {os.getloadavg()[0]:.1f}. Steps a second, and VmHWM of a rank in MiB:", "",
                 "| Fashion-MNIST | batch | torchrun | lockstep | times faster | torchrun | lockstep | times less |",
                 "|---|---|---|---|---|---|---|---|"):
        tell(line)
    for row in step_rows(programs, rounds, share):
        tell(row)
    for line in ("", "| | Python | lockstep | ratio |", "|---|---|---|---|",
                 start_row(programs, rounds), *save_rows(programs, share)):
        tell(line)
    row, wait = picture_row(programs, rounds, share)
    tell(row)
    tell(f"\nlockstep-train waited {wait:.0%} of its time for those pictures; Python's loop only took them.\n")
    for line in (f"Debian's fortunes, cut at {WORDS} words, on {trainings.RANKS} ranks:", "",
                 "| | padding | an epoch | of it waiting for the other rank | times faster |", "|---|---|---|---|---|"):
        tell(line)
    for row in length_rows(programs, max(1, rounds // 2), share):
        tell(row)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    usual = trainings.Programs()
    parser.add_argument("--train", type=Path, default=usual.train)
    parser.add_argument("--launch", type=Path, default=usual.launch)
    parser.add_argument("--python", type=Path, default=usual.python, help="with torch, torchvision, safetensors")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=1, help="of the steps; a small one tries the script out")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {document.DOCUMENT.name}")
    options = parser.parse_args()
    if not options.python.exists():
        parser.error(f"no {options.python}: make it with `setup/run parity` or name another with --python")
    lines = []

    def tell(line):
        lines.append(line)
        print(line, flush=True)

    programs = trainings.Programs(options.train, options.launch, options.python)
    tell_tables(tell, programs, options.rounds, options.share)
    if options.write:
        document.write("training.py", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
