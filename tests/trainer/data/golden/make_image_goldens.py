#!/usr/bin/env python3
"""Writes images/: small JPEG and PNG files of every kind, and beside each the RGB pixels that PIL reads.

Needs Pillow and numpy; run it by hand, the results are checked in. The picture follows from a fixed formula.
"""
import io
import struct
import zlib
from pathlib import Path

import numpy
from PIL import Image

HERE = Path(__file__).resolve().parent / "images"


def picture(rows, columns):
    """A smooth picture with edges: waves, a disc and a little noise."""
    y, x = numpy.mgrid[0:rows, 0:columns]
    noise = numpy.random.default_rng(5).integers(0, 20, (rows, columns, 3))
    waves = [127 + 100 * numpy.sin(x / 5 + k) * numpy.cos(y / (4 + k)) for k in range(3)]
    colours = numpy.stack(waves, axis=2) + noise
    colours[(y - rows / 2) ** 2 + (x - columns / 3) ** 2 < (rows / 4) ** 2] = (250, 30, 60)
    return Image.fromarray(colours.clip(0, 255).astype(numpy.uint8))


def jpeg(image, **how):
    file = io.BytesIO()
    image.save(file, "JPEG", **how)
    return file.getvalue()


def png(image, **how):
    file = io.BytesIO()
    image.save(file, "PNG", **how)
    return file.getvalue()


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def written_png(samples, colour_type, depth, interlaced=False, gamma=None):
    """What PIL does not write: 16-bit colour, Adam7, a gamma. `samples` is [rows, columns, channels]."""
    rows, columns, _ = samples.shape
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    packed = samples.astype(">u2" if depth == 16 else "u1")
    raw = b""
    for top, left, down, right in passes if interlaced else [(0, 0, 1, 1)]:
        part = packed[top::down, left::right]
        raw += b"".join(b"\0" + row.tobytes() for row in part if part.shape[1])
    header = struct.pack(">IIBBBBB", columns, rows, depth, colour_type, 0, 0, int(interlaced))
    gamma = chunk(b"gAMA", struct.pack(">I", gamma)) if gamma else b""
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + gamma + chunk(b"IDAT", zlib.compress(raw))
            + chunk(b"IEND", b""))


def files():
    rgb = picture(29, 43)
    alpha = rgb.copy()
    alpha.putalpha(Image.linear_gradient("L").resize(rgb.size))
    palette = rgb.quantize(17)
    yield "baseline_420.jpg", jpeg(rgb, quality=80, subsampling=2)
    yield "baseline_444.jpg", jpeg(rgb, quality=95, subsampling=0)
    yield "progressive_422.jpg", jpeg(rgb, quality=70, subsampling=1, progressive=True)
    yield "grey.jpg", jpeg(rgb.convert("L"), quality=85)
    yield "cmyk.jpg", jpeg(rgb.convert("CMYK"), quality=90)
    yield "one_pixel.jpg", jpeg(rgb.resize((1, 1)))
    yield "rgb.png", png(rgb)
    yield "alpha.png", png(alpha)
    yield "grey.png", png(rgb.convert("L"))
    yield "grey_alpha.png", png(alpha.convert("LA"))
    yield "black_white.png", png(rgb.convert("1"))
    yield "palette.png", png(palette)
    yield "palette_transparent.png", png(palette, transparency=3)
    yield "palette_2_bits.png", png(rgb.quantize(4), bits=2)
    yield "one_pixel.png", png(rgb.resize((1, 1)))
    deep = numpy.asarray(rgb).astype(numpy.uint32) * 257 // 2 + numpy.arange(43)[None, :, None] * 31
    yield "rgb_16_bits.png", written_png(deep, 2, 16)
    yield "rgb_interlaced.png", written_png(numpy.asarray(rgb), 2, 8, interlaced=True)
    yield "rgb_16_bits_interlaced.png", written_png(deep, 2, 16, interlaced=True)
    yield "rgb_gamma.png", written_png(numpy.asarray(rgb), 2, 8, gamma=100000)
    yield "grey_16_bits.png", written_png(deep[:, :, :1], 0, 16)


def pixels_of(name, content):
    image = Image.open(io.BytesIO(content))
    if name == "grey_16_bits.png":  # here PIL's convert clips at 255; what is wanted is the upper byte
        image = Image.fromarray((numpy.asarray(image) >> 8).astype(numpy.uint8))
    return image.convert("RGB")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, content in files():
        (HERE / name).write_bytes(content)
        pixels = pixels_of(name, content)
        (HERE / (name + ".ppm")).write_bytes(b"P6 %d %d 255\n" % pixels.size + pixels.tobytes())
