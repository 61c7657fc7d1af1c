"""Pictures a second of torchvision's ResNet-50 in Python's eager mode, the work of tests/gpu/run's:
python_resnet50.py FOLDER DEVICE BATCH WARMUP STEPS PRECISION"""
import sys
import time
from pathlib import Path

import torch
import torchvision
from torch import nn

MEAN, STD = 0.286, 0.353


def read_idx(path, dimensions):
    content = bytearray(Path(path).read_bytes())
    shape = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(dimensions)]
    return torch.frombuffer(content[4 + 4 * dimensions:], dtype=torch.uint8).reshape(shape)


def main(folder, device, batch, warmup, steps, precision):
    pixels = read_idx(f"{folder}/images", 3).unsqueeze(1).to(device)
    labels = read_idx(f"{folder}/labels", 1).long().to(device)
    model = torchvision.models.resnet50(num_classes=10)
    model.conv1 = nn.Conv2d(1, 64, 7, stride=2, padding=3, bias=False)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for step in range(1, steps + 1):
        chosen = torch.randint(len(labels), (batch,)).to(device)
        images = pixels.index_select(0, chosen).float().mul_(1 / (255 * STD)).add_(-MEAN / STD)
        with torch.autocast(device, torch.bfloat16, enabled=precision == "bf16"):
            scores = model(images)
        optimizer.zero_grad()
        nn.functional.cross_entropy(scores.float(), labels.index_select(0, chosen)).backward()
        optimizer.step()
        if step == warmup:
            wait()
            began = time.monotonic()
    wait()
    print((steps - warmup) * batch / (time.monotonic() - began))


if __name__ == "__main__":
    main(*sys.argv[1:3], *map(int, sys.argv[3:6]), sys.argv[6])
