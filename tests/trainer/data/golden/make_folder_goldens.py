#!/usr/bin/env python3
"""Writes image_folder.json beside itself: trees of files, and the order in which torchvision's ImageFolder takes them.

Needs torchvision; run it by hand, the result is checked in. The trees follow from a fixed seed.
"""
import json
import random
import tempfile
from pathlib import Path

from torchvision.datasets import DatasetFolder

NAMES = ["a", "b", "B", "a-b", "a b", "é", "10", "9", "z.y", "_", "日"]
ENDINGS = [".jpg", ".JPG", ".jpeg", ".png", ".PnG", ".txt", "", ".jpg.txt"]


def tree(draw):
    files = {f"{name}/first.png" for name in draw.sample(NAMES, draw.randint(1, 6))}
    classes = sorted({file.split("/")[0] for file in files})
    for _ in range(draw.randint(0, 25)):
        folders = [draw.choice(classes)] + [draw.choice(NAMES) for _ in range(draw.choice([0, 0, 1, 2]))]
        files.add("/".join(folders) + "/" + draw.choice(NAMES) + "_" + draw.choice(NAMES) + draw.choice(ENDINGS))
    return sorted(files, key=lambda _: draw.random())


def case(files):
    with tempfile.TemporaryDirectory() as root:
        for file in files:
            path = Path(root, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        folder = DatasetFolder(root, loader=None, extensions=(".jpg", ".jpeg", ".png"))
        samples = [[str(Path(path).relative_to(root)), label] for path, label in folder.samples]
        return {"files": files, "classes": folder.classes, "samples": samples}


if __name__ == "__main__":
    draw = random.Random(4)
    cases = [case(["a/b/z.png", "a/c.png", "a/b-c/y.png", "a/b.png"])] + [case(tree(draw)) for _ in range(20)]
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in cases)
    (Path(__file__).resolve().parent / "image_folder.json").write_text(f"[\n{lines}\n]\n")
