#!/usr/bin/python3
"""Checks every #include of ours against the layers of docs/architecture.md. Run by ctest as `layering`."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Folder -> the folders it may include. A file's folder is the longest key that is a prefix of its path.
ALLOWED = {
    "operator/base": [],
    "operator/api": ["operator/base", "trainer/contract.h"],
    "operator/plan": ["operator/base/result.h", "operator/base/text.h", "operator/api", "trainer/contract.h"],
    "operator/kube": ["operator/base", "operator/api"],
    "operator/runtime": ["operator/base", "operator/api", "operator/kube"],
    "operator/plugin": ["operator/base", "operator/api", "trainer/contract.h"],
    "operator": ["operator", "trainer/contract.h"],
    "trainer/contract.h": [],
    "trainer/errors.h": [],
    "trainer/nearest": [],
    "trainer/log_line.h": [],
    "trainer/torch.h": [],
    "trainer/launch": ["trainer/contract.h", "trainer/nearest.h"],
    "trainer/config": ["trainer/contract.h", "trainer/nearest.h"],
    "trainer/data": ["trainer/config", "trainer/errors.h", "trainer/torch.h"],
    "trainer/optim": ["trainer/config", "trainer/errors.h", "trainer/torch.h"],
    "trainer/status": [],
    "trainer/watch": [],
    "trainer/state": ["trainer/config", "trainer/errors.h", "trainer/torch.h"],
    "trainer/group": ["trainer/config", "trainer/contract.h", "trainer/errors.h", "trainer/log_line.h", "trainer/torch.h"],
    "trainer/ddp": ["trainer/config", "trainer/group", "trainer/torch.h"],
    "trainer/batches": ["trainer/config", "trainer/data", "trainer/errors.h", "trainer/log_line.h", "trainer/torch.h"],
    "trainer/model": ["trainer/batches/batch.h", "trainer/config", "trainer/nearest.h", "trainer/torch.h"],
    "trainer/speed": ["trainer/config", "trainer/log_line.h", "trainer/status", "trainer/torch.h"],
    "trainer/open_files": [],
    "trainer/doctor": ["trainer"],
    "trainer": ["trainer"],
}

# Headers that only some files may include: pattern -> allowed path prefixes.
ONLY_IN = {
    r"httplib\.h": ["operator/kube/transport", "operator/runtime/status_server"],
    r"(torch|ATen|c10|gloo)/.*|trainer/torch\.h": [
        "trainer/group", "trainer/ddp", "trainer/batches", "trainer/model", "trainer/speed", "trainer/optim/average", "trainer/optim/clip",
        "trainer/optim/grad_scaler", "trainer/optim/mixed_batch", "trainer/optim/optimizer", "trainer/optim/update",
        "trainer/state/torch", "trainer/torch", "trainer/checkpoints", "trainer/eval", "trainer/export_script", "trainer/learner", "trainer/loss",
        "trainer/mean_loss", "trainer/precision", "trainer/rehearsal.cc", "trainer/reports.cc", "trainer/trainer", "trainer/run.cc", "trainer/main.cc",
        "trainer/doctor/cuda", "trainer/doctor/doctor_command.cc", "trainer/doctor/training.cc"],
}

# What the pure rooms must not see: no I/O, clock, log or thread.
PURE = ["operator/plan", "trainer/plan.", "trainer/plan_report", "trainer/optim/schedule", "trainer/optim/plateau", "trainer/optim/mix",
        "trainer/optim/non_finite", "trainer/data/sampler", "trainer/data/deal", "trainer/data/dealt_sampler",
        "trainer/data/length_bucket_sampler", "trainer/data/multigrid_sampler", "trainer/data/repeat_factor",
        "trainer/data/weighted_order", "trainer/data/random", "trainer/data/split_mix", "trainer/watch/crc32c", "trainer/watch/event.",
        "trainer/watch/figures", "trainer/speed/device_peak", "trainer/speed/split", "trainer/bench_figures", "trainer/data/exact_eval", "trainer/doctor/finding",
        "trainer/doctor/report", "operator/kube/request",
        "operator/kube/splitter"]
IMPURE = {"iostream", "fstream", "thread", "mutex", "future", "condition_variable", "filesystem", "unistd.h",
          "sys/socket.h", "spdlog/spdlog.h", "operator/base/log.h", "operator/base/clock.h", "operator/base/mutex.h"}


def starts(path, prefix):
    return path == prefix or path.startswith(prefix + "/") or (not prefix.endswith("/") and path.startswith(prefix + "."))


def layer_of(path):
    return max((key for key in ALLOWED if starts(path, key)), key=len)


def faults_of(path, text):
    for header in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M):
        if header.startswith(("operator/", "trainer/", "tests/")):
            layer = layer_of(path)
            if not any(starts(header, allowed) for allowed in ALLOWED[layer] + [layer]):
                yield f"{path}: layer {layer} must not include {header}; it may include {ALLOWED[layer] or 'nothing'}"
            if path.startswith("operator/") and header.startswith("trainer/") and header != "trainer/contract.h":
                yield f"{path}: the operator includes one trainer file, contract.h, not {header}"
        for pattern, rooms in ONLY_IN.items():
            if re.fullmatch(pattern, header) and not any(path.startswith(room) for room in rooms):
                yield f"{path}: {header} may be included only in {', '.join(rooms)}"
        if header in IMPURE and any(path.startswith(room) for room in PURE):
            yield f"{path}: this file is pure and must not include {header}"


def main():
    files = [p for top in ("operator", "trainer") for p in sorted((ROOT / top).rglob("*")) if p.suffix in (".h", ".cc")]
    faults = [fault for p in files for fault in faults_of(str(p.relative_to(ROOT)), p.read_text())]
    # The check itself must be able to fail: one planted fault of each kind has to be found.
    planted = ['#include "operator/kube/client.h"', "#include <httplib.h>", "#include <thread>"]
    found = [list(faults_of("operator/plan/decide.cc", line)) for line in planted]
    if not all(found) or not files:
        faults.append("layering: the check did not find its own planted faults")
    print("\n".join(faults) or f"layering: {len(files)} files, every include goes downwards")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
