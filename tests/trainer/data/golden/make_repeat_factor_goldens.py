#!/usr/bin/env python3
"""Writes repeat_factor.json beside itself: LVIS's r(c) = max(1, sqrt(t / f(c))), computed with numpy from the paper's text.

Needs numpy; run it by hand, the results are checked in. The cases follow from a fixed seed.
"""
import json
from pathlib import Path

import numpy as np


def case(draw):
    classes = draw.geometric(draw.uniform(0.1, 0.6), draw.integers(1, 60))
    threshold = float(draw.choice([0.0, 0.001, 0.1, 0.5, 1.0]))
    frequency = {label: np.mean(classes == label) for label in np.unique(classes)}
    factors = [float(max(1.0, np.sqrt(threshold / frequency[label]))) for label in classes]
    return {"threshold": threshold, "classes": classes.tolist(), "factors": factors}


if __name__ == "__main__":
    generator = np.random.default_rng(20)
    lines = ",\n".join(json.dumps(case(generator)) for _ in range(40))
    Path(__file__).with_name("repeat_factor.json").write_text(f"[\n{lines}\n]\n")
