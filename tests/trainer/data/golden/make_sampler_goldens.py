#!/usr/bin/env python3
"""Writes distributed_sampler.json and random_permutation.json beside itself from torch's own code.

Needs torch 2.15.0 and numpy; run it by hand, the results are checked in. The cases follow from a fixed seed.
"""
import itertools
import json
import random
import zlib
from pathlib import Path

import torch
from torch.utils.data import DistributedSampler

HERE = Path(__file__).resolve().parent
INLINE_LIMIT = 40  # longer lists are stored as length and CRC-32 of the little-endian int64 values


def summary(indices):
    indices = [int(i) for i in indices]
    if len(indices) <= INLINE_LIMIT:
        return {"indices": indices}
    return {"count": len(indices), "crc32": zlib.crc32(b"".join(i.to_bytes(8, "little") for i in indices))}


def sampler_case(size, world, rank, seed, epoch, drop_last, shuffle):
    sampler = DistributedSampler(range(size), world, rank, shuffle=shuffle, seed=seed, drop_last=drop_last)
    sampler.set_epoch(epoch)
    case = dict(size=size, world=world, rank=rank, seed=seed, epoch=epoch, drop_last=drop_last, shuffle=shuffle)
    return case | summary(sampler)


def sampler_cases():
    draw = random.Random(20)
    edges = [(1, 1), (1, 8), (3, 8), (7, 8), (8, 8), (9, 8), (11, 4), (60000, 4), (60000, 7)]
    for (size, world), drop_last, shuffle in itertools.product(edges, [False, True], [False, True]):
        yield size, world, draw.randrange(world), 3, 2, drop_last, shuffle
    yield 11, 4, 1, 3, 2, False, True
    for _ in range(170):
        size = draw.choice([draw.randint(1, 40), draw.randint(1, 400), draw.randint(1, 5000)])
        world = draw.randint(1, 16)
        seed = draw.choice([0, 42, draw.randrange(2**16), draw.randrange(2**31), 2**32 - 1])
        yield (size, world, draw.randrange(world), seed, draw.randrange(100), draw.random() < 0.5,
               draw.random() < 0.8)


def permutation_cases():
    sizes = [0, 1, 2, 3, 10, 40, 623, 624, 625, 10000, 1 << 20]
    for size, seed in itertools.product(sizes, [0, 1, 5489, 2**32 - 1, 2**32, 2**63 - 1]):
        order = torch.randperm(size, generator=torch.Generator().manual_seed(seed))
        yield {"size": size, "seed": seed} | summary(order.tolist())


def write(name, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / name).write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    write("distributed_sampler.json", [sampler_case(*case) for case in sampler_cases()])
    write("random_permutation.json", permutation_cases())
