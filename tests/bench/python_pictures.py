"""Pictures for tests/bench/training.py: `make FOLDER N` writes N JPEGs in two class folders, `load FOLDER BATCH EPOCHS`
prints how many a second torchvision and a DataLoader with one worker read, crop, flip and scale (epochs 2 on).
"""
import random
import sys
import time
from pathlib import Path

CLASSES = ("first", "second")


def make(folder, count):
    from PIL import Image, ImageFilter
    random.seed(1)
    for number in range(int(count)):
        side = random.randint(256, 400), random.randint(256, 400)
        noise = Image.frombytes("RGB", (40, 40), random.randbytes(40 * 40 * 3))
        picture = noise.resize(side, Image.Resampling.BICUBIC).filter(ImageFilter.DETAIL)
        place = Path(folder) / CLASSES[number % len(CLASSES)]
        place.mkdir(parents=True, exist_ok=True)
        picture.save(place / f"{number:04}.jpg", quality=90)


def load(folder, batch, epochs):
    import torch
    from torchvision import datasets, transforms
    torch.set_num_threads(1)
    changed = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(),
                                  transforms.ToTensor(),
                                  transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
    loader = torch.utils.data.DataLoader(datasets.ImageFolder(folder, changed), batch_size=int(batch), shuffle=True,
                                         num_workers=1, persistent_workers=True)
    pictures = 0
    for epoch in range(int(epochs)):
        if epoch == 1:
            began = time.monotonic()
        for images, _ in loader:
            pictures += len(images) if epoch else 0
    print(pictures / (time.monotonic() - began))


if __name__ == "__main__":
    {"make": make, "load": load}[sys.argv[1]](*sys.argv[2:])
