#!/usr/bin/env python3
"""Writes files of Python's torch.save beside itself, for the reader and the writer to be held against.

Needs torch 2.15; run it by hand, the results are checked in. `--read FILE` prints what torch.load(weights_only=True)
finds in a file, as JSON: {name: [dtype, shape, values]}; it maps the file into memory too and compares.
"""
import json
import sys
import zipfile
from collections import OrderedDict
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent

# One tensor of each dtype; no two share a number of elements or a value.
PLAIN = {
    "f32": torch.tensor([[0.5, -1.25, 3.0]]),
    "f64": torch.tensor([0.1, 0.2, 0.3, 0.4], dtype=torch.float64),
    "f16": torch.tensor([1.5, -2.0, 4.0, 8.0, 16.0], dtype=torch.float16),
    "bf16": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "i64": torch.tensor(-7, dtype=torch.int64),
    "i32": torch.arange(6, dtype=torch.int32).reshape(1, 2, 3),
    "i16": torch.arange(8, dtype=torch.int16).reshape(1, 2, 2, 2),
    "i8": torch.tensor([-9], dtype=torch.int8),
    "u8": torch.tensor([[1, 2], [3, 4]], dtype=torch.uint8),
    "bool": torch.tensor([True, False, True]),
    "u16": torch.tensor([65535, 1], dtype=torch.uint16),
    "u32": torch.tensor([5], dtype=torch.uint32),
    "u64": torch.tensor([2**64 - 1], dtype=torch.uint64),
    "e4": torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
    "e5": torch.tensor([1.0, 0.5]).to(torch.float8_e5m2),
    "empty": torch.zeros(0, 4),
    "long": torch.zeros(0, 300),
    "longer": torch.zeros(0, 70000, 2),
    "longest": torch.zeros(0, 3_000_000_000, 2),
    "gap": torch.zeros(2, 0, 3),
}


def module():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Conv2d(2, 3, 2), torch.nn.BatchNorm2d(3), torch.nn.Linear(3, 2))


# What torch.save keeps as it is: strides, one storage under two names, parameters.
def views():
    base = torch.arange(12, dtype=torch.float32)
    images = torch.arange(24, dtype=torch.int32).reshape(1, 2, 3, 4).to(memory_format=torch.channels_last)
    return {"part": base[4:10].reshape(2, 3), "transposed": base.reshape(3, 4).t(), "every other": base[1::2],
            "channels last": images, "parameter": torch.nn.Parameter(torch.ones(2)),
            "none of a row": base.reshape(3, 4)[:, :0]}


# What an engine saves: the weights among other things.
def whole():
    model = module()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    return {"epoch": 3, "state_dict": OrderedDict(("module." + k, v) for k, v in model.state_dict().items()),
            "best_acc1": None, "optimizer": optimizer.state_dict(), "loss": 0.25, "big": 2**80,
            "list": [1, -300, 70000]}


def values_of(tensor):
    is_float = tensor.dtype.is_floating_point
    return (tensor.to(torch.float64) if is_float else tensor).flatten().tolist()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        loaded = torch.load(sys.argv[2], weights_only=True)
        mapped = torch.load(sys.argv[2], weights_only=True, mmap=True)
        told = {name: [str(tensor.dtype), list(tensor.shape), values_of(tensor)] for name, tensor in loaded.items()}
        assert told == {name: [str(t.dtype), list(t.shape), values_of(t)] for name, t in mapped.items()}
        print(json.dumps(told))
    else:
        torch.save(PLAIN, HERE / "plain.pt")
        torch.save({"only": torch.tensor([1.5])}, HERE / "one.pt")
        torch.save(module().state_dict(), HERE / "module.pt")
        torch.save(views(), HERE / "views.pt")
        torch.save(whole(), HERE / "whole.pth")
        torch.save({"q": torch.zeros(2).to_sparse()}, HERE / "sparse.pt")
        torch.save({"model_name": Path("x")}, HERE / "object.pt")
        torch.save(module().state_dict(), HERE / "legacy.pth", _use_new_zipfile_serialization=False)
        torch.save({"w": torch.ones(2)}, HERE / "protocol_4.pt", pickle_protocol=4)
        for name in ("module.pt", "views.pt", "whole.pth"):  # pickles alone, seeds for tests/fuzz
            with zipfile.ZipFile(HERE / name) as archive:
                (HERE / name).with_suffix(".pkl").write_bytes(archive.read(Path(name).stem + "/data.pkl"))
        (HERE / "module.json").write_text(json.dumps({name: [str(t.dtype), list(t.shape), values_of(t)]
                                                      for name, t in module().state_dict().items()}) + "\n")
