#!/usr/bin/env python3
"""Writes transforms.json beside itself and images/large.png: what PIL and torchvision make of two pictures.

Needs torch, torchvision and Pillow 13 (Pillow 11 resizes across first, up to 1 level apart); run it by hand
after make_image_goldens.py, the results are checked in. A result is stored as its size and CRC-32; where torchvision
draws numbers, it is given the stream of make_random_goldens.py.
"""
import json
import random
import zlib
from pathlib import Path
from unittest import mock

import numpy
import torch
from make_image_goldens import picture
from make_random_goldens import stream
from PIL import Image, ImageEnhance, ImageOps
from torchvision import transforms
from torchvision.transforms import functional
from torchvision.transforms.autoaugment import RandAugment, _apply_op
from torchvision.transforms.functional import InterpolationMode

HERE = Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)  # where torchvision draws and takes logarithms


def summary(image):
    return {"columns": image.width, "rows": image.height, "crc32": zlib.crc32(image.tobytes())}


class Drawn:
    """Stands in for torch.empty and torch.randint inside torchvision."""

    def __init__(self, draws):
        self.draws = draws

    def empty(self, _):
        return self

    def uniform_(self, low, high):
        return torch.tensor([self.draws.uniform(float(low), float(high))])

    def randint(self, low, high, size):
        return torch.tensor([low + self.draws.below(high - low)])

    def patched(self):
        return mock.patch.multiple(torch, empty=self.empty, randint=self.randint)


def resizes(images, draw):
    for name, image in images.items():
        whole = (0, 0, image.height, image.width)
        boxes = [(whole, size) for size in [(224, 224), (1, 1), (7, 200), (image.height, 20), (20, image.width)]]
        for _ in range(25):
            rows, columns = draw.randint(1, image.height), draw.randint(1, image.width)
            box = (draw.randint(0, image.height - rows), draw.randint(0, image.width - columns), rows, columns)
            boxes.append((box, (draw.randint(1, 70), draw.randint(1, 70))))
        for (top, left, rows, columns), size in boxes:
            result = functional.resized_crop(image, top, left, rows, columns, list(size))
            yield {"image": name, "crop": [top, left, rows, columns], **summary(result)}


def geometry(images):
    for name, image in images.items():
        for size in [1, 8, 29, 64, 97, 100]:
            yield {"image": name, "does": "short_side", "with": size, **summary(functional.resize(image, size))}
        for rows, columns in [(1, 1), (20, 20), (29, 43), (28, 44), (150, 10), (10, 151), (101, 142)]:
            result = functional.center_crop(image, [rows, columns])
            yield {"image": name, "does": "centre", "with": [rows, columns], **summary(result)}
        yield {"image": name, "does": "flip", **summary(functional.hflip(image))}
        for degrees in [0, 1, -9, 30, 45.5, 179, 200, -77.25]:
            yield {"image": name, "does": "rotate", "with": degrees, **summary(functional.rotate(image, degrees))}


def colours(images):
    changes = {"brightness": ImageEnhance.Brightness, "contrast": ImageEnhance.Contrast,
               "saturation": ImageEnhance.Color, "sharpness": ImageEnhance.Sharpness}
    for name, image in images.items():
        for change, enhance in changes.items():
            for factor in [0, 0.1, 0.5, 0.73, 1, 1.27, 1.9, 3]:
                yield {"image": name, "does": change, "with": factor, **summary(enhance(image).enhance(factor))}
        for turn in [-0.5, -0.1, 0, 0.02, 0.31, 0.5]:
            yield {"image": name, "does": "hue", "with": turn, **summary(functional.adjust_hue(image, turn))}
        for bits in [1, 4, 8]:
            yield {"image": name, "does": "posterize", "with": bits, **summary(ImageOps.posterize(image, bits))}
        for threshold in [0, 100, 178.5, 255]:
            result = ImageOps.solarize(image, threshold)
            yield {"image": name, "does": "solarize", "with": threshold, **summary(result)}
        yield {"image": name, "does": "autocontrast", **summary(ImageOps.autocontrast(image))}
        yield {"image": name, "does": "equalize", **summary(ImageOps.equalize(image))}


def augmentations(images):
    for name, image in images.items():
        space = RandAugment()._augmentation_space(31, (image.height, image.width))
        for operation, (levels, signed) in space.items():
            for magnitude in [0, 1, 9, 17, 30]:
                level = float(levels[magnitude].item()) if levels.ndim > 0 else 0.0
                for sign in [1, -1] if signed else [1]:
                    result = _apply_op(image, operation, sign * level, InterpolationMode.NEAREST, None)
                    yield {"image": name, "operation": operation, "magnitude": magnitude, "sign": sign,
                           **summary(result)}


def drawn_boxes(draw):
    fit, odd = [0.08, 1.0], [0.9, 1.0]
    for number in range(120):
        rows, columns = draw.randint(1, 500), draw.randint(1, 500)
        scale, ratio = draw.choice([fit, odd, [0.3, 0.3]]), draw.choice([[3 / 4, 4 / 3], [0.2, 0.5], [2.0, 5.0]])
        canvas = Image.new("L", (columns, rows))
        with Drawn(stream(1, 2, number)).patched():
            crop = transforms.RandomResizedCrop.get_params(canvas, scale, ratio)
        yield {"index": number, "size": [rows, columns], "scale": scale, "ratio": ratio, "crop": list(map(int, crop))}


def erased_boxes(draw):
    for number in range(40):
        rows, columns = draw.randint(2, 60), draw.randint(2, 60)
        planes = torch.ones(3, rows, columns)
        draws = stream(1, 2, number)
        draws.unit()  # whether to erase at all
        with Drawn(draws).patched():
            top, left, height, width, value = transforms.RandomErasing.get_params(
                planes, (0.02, 0.33), (0.3, 3.3), [0.0])
        planes[:, top:top + height, left:left + width] = value
        yield {"index": number, "size": [rows, columns], "crc32": zlib.crc32(planes.float().numpy().tobytes())}


def padded_crops(images):
    for number in range(20):
        for name, image in images.items():
            draws = stream(1, 2, number)
            with Drawn(draws).patched():
                result = transforms.RandomCrop((28, 30), padding=4)(image)
            yield {"image": name, "index": number, **summary(result)}


def normalisations(images):
    torch.set_default_dtype(torch.float32)
    for name, image in images.items():
        for mean, std in [((0, 0, 0), (1, 1, 1)), ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))]:
            planes = functional.normalize(functional.to_tensor(image), mean, std)
            yield {"image": name, "mean": mean, "std": std, "crc32": zlib.crc32(planes.numpy().tobytes())}


def main():
    smooth = numpy.asarray(picture(97, 141)) // 8 * 8  # packs better
    Image.fromarray(smooth.astype(numpy.uint8)).save(HERE / "images" / "large.png", optimize=True)
    images = {name: Image.open(HERE / "images" / name).convert("RGB") for name in ["rgb.png", "large.png"]}
    draw = random.Random(3)
    golden = {
        "resize": list(resizes(images, draw)), "geometry": list(geometry(images)), "colour": list(colours(images)),
        "augment": list(augmentations(images)), "drawn": list(drawn_boxes(draw)), "erased": list(erased_boxes(draw)),
        "padded": list(padded_crops(images)), "normalise": list(normalisations(images)),
    }
    parts = [f'"{key}": [\n' + ",\n".join(json.dumps(case) for case in cases) + "\n]" for key, cases in golden.items()]
    (HERE / "transforms.json").write_text("{\n" + ",\n".join(parts) + "\n}\n")


if __name__ == "__main__":
    main()
