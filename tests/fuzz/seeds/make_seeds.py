#!/usr/bin/env python3
"""Writes the seeds beside itself: small valid files of the formats that have no golden files. Results are checked in."""
import gzip
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLANES = bytes(range(256)) * 12


def write(name, content):
    path = HERE / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    write("csv/numbers.csv", b"1,2.5,0\n-3,4e1,12\n+5,1e-7,3\n")
    write("csv/header.csv", b'\xef\xbb\xbfx,"y ""z""",kind\r\n1 , 2,"a, b"\r\n\r\n3,4,Z\r\n')
    write("text/lines.tsv", "b\tsome text\r\na\tx\ty é日\n\nb\tDon't!\n".encode())
    write("text/records", b"one\n  two\n%\n%\nthree % four\n%%\n%\n")
    images = b"\0\0\x08\x03" + struct.pack(">III", 2, 1, 3) + b"abcdef"
    write("idx/images", images)
    write("idx/images.gz", gzip.compress(images, mtime=0))
    write("idx/labels", b"\0\0\x08\x01" + struct.pack(">I", 2) + b"\x07\x09")
    write("tokens/16.bin", struct.pack("<8H", *range(65528, 65536)))
    write("tokens/32.bin", struct.pack("<4I", 0, 1, 65535, 65536))
    write("cifar/10.bin", b"\x09" + PLANES + b"\x00" + PLANES)
    write("cifar/100.bin", b"\x13\x63" + PLANES)
