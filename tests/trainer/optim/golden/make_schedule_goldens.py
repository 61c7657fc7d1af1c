#!/usr/bin/env python3
"""Writes schedules.json beside itself from torch.optim.lr_scheduler: rates unit by unit, read before each step.

Needs torch 2.15.0; run it by hand, the result is checked in. A warm-up is a LinearLR of its own in front.
"""
import json
import random
from pathlib import Path

import torch
from torch.optim import lr_scheduler

HERE = Path(__file__).resolve().parent


def stepped(lr, units, scheduler_of):
    if units == 0:
        return []
    optimizer = torch.optim.SGD([torch.zeros(1)], lr)
    scheduler = scheduler_of(optimizer)
    rates = [optimizer.param_groups[0]["lr"]]
    for _ in range(units - 1):
        optimizer.step()
        scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
    return rates


def warmed_up(lr, warmup, start):
    factor = (start or lr / warmup) / lr if warmup > 1 else 1
    return stepped(lr, warmup, lambda o: lr_scheduler.LinearLR(o, factor, 1, max(warmup - 1, 1)))


def curve(lr, units, kind, s):
    schedulers = {
        "constant": lambda o: lr_scheduler.ConstantLR(o, 1.0),
        "multistep": lambda o: lr_scheduler.MultiStepLR(o, s["milestones"], s["gamma"]),
        "exponential": lambda o: lr_scheduler.ExponentialLR(o, s["gamma"]),
        "linear": lambda o: lr_scheduler.LinearLR(o, 1, s.get("final_lr", 0) / lr, units),
        "poly": lambda o: lr_scheduler.PolynomialLR(o, units, s["power"]),
        "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, units, s.get("final_lr", 0)),
        "one_cycle": lambda o: lr_scheduler.OneCycleLR(
            o, lr, units, pct_start=s["peak_at"], div_factor=s["div_factor"],
            final_div_factor=s["final_div_factor"], cycle_momentum=False),
    }
    return stepped(lr, units, schedulers[kind])


def wsd(lr, warmup, units, s):
    decay = int(s["decay_fraction"] * units + 0.5)
    fall = stepped(lr, decay, lambda o: lr_scheduler.LinearLR(o, 1, s["final_lr"] / lr, max(decay, 1)))
    return [lr] * (units - warmup - decay) + fall


def case(kind, lr, units, warmup=0, epoch=1, per="step", **s):
    if kind == "wsd":
        rest = wsd(lr, warmup, units, s)
    else:
        rest = curve(lr, units - warmup, kind, s)
    rates = warmed_up(lr, warmup, s.get("warmup_start_lr", 0)) + rest
    assert len(rates) == units
    length = {"warmup_steps": warmup} if per == "step" else {"warmup_epochs": warmup}
    return dict(schedule=dict(name=kind, per=per, **length, **s), lr=lr, steps_per_epoch=epoch, rates=rates)


def plateau_case(draw):
    s = dict(metric=draw.choice(["loss", "accuracy"]), gamma=draw.choice([0.1, 0.5]), patience=draw.randrange(4),
             threshold=draw.choice([0.0, 1e-4, 0.05]), cooldown=draw.randrange(3), final_lr=draw.choice([0, 1e-3]))
    optimizer = torch.optim.SGD([torch.zeros(1)], 0.2)
    scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, "min" if s["metric"] == "loss" else "max", s["gamma"],
                                               s["patience"], s["threshold"], "rel", s["cooldown"], s["final_lr"])
    metrics = [round(draw.choice([1.0, 1 / (1 + i / 5)]) + draw.random() / 5, 3) for i in range(40)]
    rates = [0.2]
    for metric in metrics:
        scheduler.step(metric)
        rates.append(optimizer.param_groups[0]["lr"])
    return dict(schedule=dict(name="plateau", **s), lr=0.2, metrics=metrics, rates=rates)


def cases():
    cycle = dict(peak_at=0.3, div_factor=25.0, final_div_factor=1e4)
    yield case("constant", 0.3, 12, warmup=5)
    yield case("constant", 0.3, 12, warmup=5, warmup_start_lr=0.02)
    yield case("constant", 0.3, 4, warmup=1)
    yield case("multistep", 0.1, 30, epoch=7, per="epoch", milestones=[4, 11, 25], gamma=0.3)
    yield case("exponential", 0.2, 25, epoch=3, per="epoch", gamma=0.9)
    yield case("exponential", 0.2, 25, warmup=6, epoch=3, per="epoch", gamma=0.5)
    yield case("linear", 0.4, 21, final_lr=0.05)
    yield case("linear", 0.4, 21, warmup=4, epoch=5, final_lr=0.05)
    yield case("poly", 0.4, 30, power=0.9)
    yield case("poly", 0.4, 30, warmup=10, power=2.0)
    yield case("cosine", 0.1, 7)
    yield case("cosine", 0.5, 26, warmup=6, final_lr=0.05)
    yield case("cosine", 0.5, 20, warmup=3, epoch=11, per="epoch", warmup_start_lr=0.01)
    yield case("wsd", 0.3, 50, warmup=5, decay_fraction=0.2, final_lr=0.01)
    yield case("wsd", 0.3, 33, decay_fraction=0.5, final_lr=0.0)
    yield case("one_cycle", 0.6, 40, **cycle)
    yield case("one_cycle", 0.6, 37, peak_at=0.45, div_factor=10.0, final_div_factor=100.0)
    yield case("one_cycle", 0.6, 15, epoch=4, per="epoch", **cycle)
    draw = random.Random(5)
    for _ in range(40):
        yield plateau_case(draw)


if __name__ == "__main__":
    lines = ",\n".join(json.dumps(c) for c in cases())
    (HERE / "schedules.json").write_text(f"[\n{lines}\n]\n")
