#!/usr/bin/env python3
"""Writes sample_random.json beside itself: SplitMix64 over whole numbers of Python, fma over exact fractions.

Run it by hand, the result is checked in.
"""
import json
import random
from fractions import Fraction
from pathlib import Path

M = 2**64


class SplitMix64:
    def __init__(self, state):
        self.state = state

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % M
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % M
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % M
        return z ^ (z >> 31)

    def unit(self):
        return (self.bits() >> 11) / 2**53

    def uniform(self, low, high):
        return float(Fraction(high - low) * Fraction(self.unit()) + Fraction(low))  # rounded once

    def below(self, bound):
        while True:
            drawn = self.bits()
            if drawn >= M % bound:
                return drawn % bound


def stream(seed, epoch, index):
    state = seed
    for part in (epoch, index, 0):
        state = (SplitMix64(state).bits() + part) % M
    return SplitMix64(state)


def case(seed, epoch, index, bound):
    drawn = stream(seed, epoch, index)
    return dict(seed=seed, epoch=epoch, index=index, bound=bound, bits=drawn.bits(), unit=drawn.unit(),
                uniform=drawn.uniform(-3.0, 7.5), below=drawn.below(bound))


if __name__ == "__main__":
    draw = random.Random(6)
    bounds = [1, 2, 3, 10, 1000, 2**32 + 1, 2**62 + 1, 2**63 - 1]
    cases = [case(0, 0, 0, 2), case(2**64 - 1, 0, 1, 3)]
    cases += [case(draw.randrange(M), draw.randrange(-1, 500), draw.randrange(2**40), draw.choice(bounds))
              for _ in range(60)]
    lines = ",\n".join(json.dumps(one) for one in cases)
    (Path(__file__).resolve().parent / "sample_random.json").write_text(f"[\n{lines}\n]\n")
