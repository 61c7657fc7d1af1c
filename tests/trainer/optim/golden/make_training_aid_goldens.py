#!/usr/bin/env python3
"""Writes training_aids.json beside itself: torch's GradScaler, averaged weights and soft targets at work.

Needs torch 2.15.0; run it by hand, the result is checked in.
"""
import json
import random
from pathlib import Path

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

HERE = Path(__file__).resolve().parent


def scaler_case(draw, initial, interval, share_of_bad):
    """The scale after each step, and the unscaled gradient, when some gradients overflow."""
    weight = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([weight], 1.0)
    scaler = torch.amp.GradScaler("cpu", initial, growth_interval=interval)
    steps = []
    for _ in range(120):
        value = draw.choice(["inf", "nan"]) if draw.random() < share_of_bad else round(draw.uniform(-2, 2), 3)
        weight.grad = None
        scaler.scale(weight.sum()).backward()
        weight.grad.mul_(float(value))
        before = weight.item()
        scaler.step(optimizer)
        scaler.update()
        steps.append(dict(factor=value, scale=scaler.get_scale(), moved=before - weight.item(),
                          growth_tracker=scaler.state_dict()["_growth_tracker"]))
    return dict(initial=initial, growth_interval=interval, steps=steps)


def average_case(decay):
    """One weight that is i * i after step i, and its average."""
    model = torch.nn.Linear(1, 1, bias=False)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(decay))
    averages = []
    for i in range(30):
        with torch.no_grad():
            model.weight.fill_(i * i)
        average.update_parameters(model)
        averages.append(average.module.weight.item())
    return dict(decay=decay, averages=averages)


if __name__ == "__main__":
    draw = random.Random(8)
    scalers = [scaler_case(draw, 65536.0, 2000, 0.1), scaler_case(draw, 1024.0, 3, 0.1), scaler_case(draw, 8.0, 5, 0.02)]
    cases = dict(scalers=scalers, averages=[average_case(decay) for decay in (0.5, 0.9, 0.999)])
    (HERE / "training_aids.json").write_text(json.dumps(cases) + "\n")
