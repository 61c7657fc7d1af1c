#!/usr/bin/env python3
"""Writes optimizers.json beside itself, or into the folder given: 200 steps of a small network under torch.optim.

Needs torch 2.15.0; run it by hand, the result is checked in. Losses and parameters are float32 bit patterns. The
network's own arithmetic (matrix products) depends on the processor, so the file says on which one it was made.
"""
import json
import math
import struct
import sys
import zlib
from pathlib import Path

import torch
from torch import nn

HERE = Path(__file__).resolve().parent
STEPS = 200
INPUTS, HIDDEN, CLASSES, SAMPLES, BATCH = 12, 16, 4, 64, 16

CASES = [
    dict(name="sgd", lr=0.3, momentum=0.0),
    dict(name="sgd", lr=0.3, momentum=0.0, weight_decay=0.01),
    dict(name="sgd", lr=0.1, momentum=0.9),
    dict(name="sgd", lr=0.1, momentum=0.9, weight_decay=0.005),
    dict(name="sgd", lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.005),
    dict(name="sgd", lr=0.3, momentum=0.8, dampening=0.4, weight_decay=0.005),
    dict(name="sgd", lr=0.1, momentum=0.9, weight_decay=0.02, decay_norm_and_bias=False),
    dict(name="sgd", lr=0.2, momentum=0.9, clip_norm=0.25),
    dict(name="sgd", lr=0.2, momentum=0.9, clip_value=0.02),
    dict(name="sgd", lr=0.1, momentum=0.9, nesterov=True, accumulate=2),
    dict(name="adam", lr=0.01),
    dict(name="adam", lr=0.01, weight_decay=0.01),
    dict(name="adam", lr=0.02, beta1=0.8, beta2=0.95, eps=1e-6, clip_norm=0.5),
    dict(name="adamw", lr=0.01, weight_decay=0.1),
    dict(name="adamw", lr=0.02, weight_decay=0.1, decay_norm_and_bias=False, accumulate=2),
    dict(name="adamw", lr=0.02, weight_decay=0.05, clip_norm=0.1),
]


def ramp(count, seed):
    """`count` numbers in [-0.5, 0.5) with 16 bits each: exact in every language."""
    values, state = [], seed
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append((state >> 16) / 65536 - 0.5)
    return torch.tensor(values, dtype=torch.float32)


def network():
    model = nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, CLASSES))
    with torch.no_grad():
        for seed, parameter in enumerate(model.parameters()):
            parameter.copy_(ramp(parameter.numel(), seed).view_as(parameter))
    return model


def optimizer_for(model, case):
    decay = case.get("weight_decay", 0.0)
    groups = [dict(params=[p], weight_decay=decay if p.dim() > 1 or case.get("decay_norm_and_bias", True) else 0.0)
              for p in model.parameters()]
    if case["name"] == "sgd":
        return torch.optim.SGD(groups, case["lr"], case["momentum"], case.get("dampening", 0.0), decay,
                               case.get("nesterov", False))
    kind = torch.optim.AdamW if case["name"] == "adamw" else torch.optim.Adam
    return kind(groups, case["lr"], (case.get("beta1", 0.9), case.get("beta2", 0.999)), case.get("eps", 1e-8), decay)


def bits(tensor):
    return struct.unpack(f"<{tensor.numel()}I", tensor.detach().numpy().tobytes())


def run(case):
    model, pieces = network(), case.get("accumulate", 1)
    optimizer = optimizer_for(model, case)
    inputs = ramp(SAMPLES * INPUTS, 77).view(SAMPLES, INPUTS) * 4
    labels = (inputs[:, 0] > 0).long() * 2 + (inputs[:, 1] * inputs[:, 2] > 0).long()
    losses, norms = [], []
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = case["lr"] * (1 - step / (2 * STEPS))
        optimizer.zero_grad()
        for piece in range(pieces):
            rows = slice((step * pieces + piece) % 4 * BATCH, (step * pieces + piece) % 4 * BATCH + BATCH)
            loss = nn.functional.cross_entropy(model(inputs[rows]), labels[rows])
            (loss / pieces).backward()
            losses.append(loss)
        if "clip_norm" in case:
            norms.append(nn.utils.clip_grad_norm_(model.parameters(), case["clip_norm"]))
        if "clip_value" in case:
            nn.utils.clip_grad_value_(model.parameters(), case["clip_value"])
        optimizer.step()
    assert all(math.isfinite(loss.item()) for loss in losses) and losses[-1].item() < losses[0].item()
    parameters = torch.cat([p.flatten() for p in model.parameters()])
    return dict(settings=case, losses=bits(torch.stack(losses)), norms=bits(torch.stack(norms)) if norms else [],
                parameters=zlib.crc32(parameters.detach().numpy().tobytes()))


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    lines = ",\n".join(json.dumps(run(case), separators=(",", ":")) for case in CASES)
    head = json.dumps(dict(torch=torch.__version__, processor=torch.backends.cpu.get_cpu_capability()))[1:-1]
    (folder / "optimizers.json").write_text(f'{{{head}, "cases": [\n{lines}\n]}}\n')
