#!/usr/bin/env python3
"""Writes files of Python's safetensors package beside itself, for the reader and the writer to be held against.

Needs safetensors 0.8.0 and numpy; run it by hand, the results are checked in.
"""
from pathlib import Path

import numpy as np
from safetensors import TensorSpec, serialize_file

HERE = Path(__file__).resolve().parent

# Names in the order given; the package sorts by alignment, then name.
MIXED = [
    ("conv.weight", "float32", np.arange(6, dtype=np.float32).reshape(1, 2, 3) / 4),
    ("bn.num_batches_tracked", "int64", np.array(7, dtype=np.int64)),
    ("mask", "bool", np.array([True, False, True])),
    ("a", "uint8", np.array([1, 2, 3, 4, 5], dtype=np.uint8)),
    ("half", "float16", np.array([1.5, -2.0], dtype=np.float16)),
    ("brain", "bfloat16", np.array([0x3FC0, 0xC000], dtype=np.uint16)),
    ("double", "float64", np.array([[0.1], [0.2]], dtype=np.float64)),
    ("none", "float32", np.zeros((0, 4), dtype=np.float32)),
    ("i8", "int8", np.array([-1], dtype=np.int8)),
    ("i16", "int16", np.array([-2], dtype=np.int16)),
    ("u16", "uint16", np.array([3], dtype=np.uint16)),
    ("i32", "int32", np.array([-4], dtype=np.int32)),
    ("u32", "uint32", np.array([5], dtype=np.uint32)),
    ("u64", "uint64", np.array([2**64 - 1], dtype=np.uint64)),
    ("e4", "float8_e4m3fn", np.array([0x38], dtype=np.uint8)),
    ("e5", "float8_e5m2", np.array([0x3C], dtype=np.uint8)),
    ("name with \"quotes\", a\ttab and \u00fcmlaut", "uint8", np.array([9], dtype=np.uint8)),
]


def specs(tensors):
    return {name: TensorSpec(dtype=dtype, shape=array.shape, data_ptr=array.ctypes.data, data_len=array.nbytes)
            for name, dtype, array in tensors}


if __name__ == "__main__":
    serialize_file(specs(MIXED), str(HERE / "mixed.safetensors"), {"format": "pt"})
    serialize_file({}, str(HERE / "empty.safetensors"), None)
