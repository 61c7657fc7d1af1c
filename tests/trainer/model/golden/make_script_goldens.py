#!/usr/bin/env python3
"""Writes the TorchScript files of this folder and scripts.json: the losses that Python has when it trains scripted.pt.

Needs torch. Pictures and labels are formulas, so none are stored; own_model_test.cc uses the same.
"""
import json
from pathlib import Path
from typing import Tuple

import torch
from torch import nn

HERE = Path(__file__).resolve().parent
STEPS, BATCH, RATE = 8, 6, 0.1


class Picture(nn.Module):
    """Two convolutions, batch norm and a frozen scale; control flow that only a script keeps."""

    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 8, 3, stride=2))
        self.scale = nn.Parameter(torch.ones(8), requires_grad=False)
        self.head = nn.Linear(8, classes)

    def forward(self, pictures):
        maps = self.features(pictures)
        if self.training:
            maps = maps * 2
        return self.head(maps.relu().mean((2, 3)) * self.scale)


class Text(nn.Module):
    def __init__(self, vocabulary=31, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 8)
        self.head = nn.Linear(8, classes)

    def forward(self, tokens, lengths):
        is_text = torch.arange(tokens.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
        return self.head((self.embedding(tokens) * is_text.unsqueeze(2)).sum(1) / lengths.unsqueeze(1))


class Tokens(nn.Module):
    """One argument: next tokens of windows; as a classifier of texts it has the wrong shape."""

    def __init__(self, vocabulary=31):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 8)
        self.head = nn.Linear(8, vocabulary)
        self.head_again = self.head  # one tensor with two names

    def forward(self, tokens):
        return self.head_again(self.embedding(tokens))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(784, 10)

    def forward(self, pictures) -> Tuple[torch.Tensor, torch.Tensor]:
        return self.head(pictures.flatten(1)), pictures


def wave(count, frequency):
    return torch.sin(torch.arange(count, dtype=torch.float64) * frequency)


def losses_of(model):
    """Plain gradient descent, as the documents of torch show it."""
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=RATE)
    losses = []
    model.train()
    for step in range(STEPS):
        pictures = wave(BATCH * 784, 0.013 * (step + 1)).reshape(BATCH, 1, 28, 28).float()
        labels = torch.arange(BATCH).mul(7).add(step).remainder(10)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(pictures), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    torch.manual_seed(5)
    picture = Picture()
    scripted = torch.jit.script(picture)
    scripted.save(HERE / "scripted.pt")
    torch.save(picture.state_dict(), HERE / "weights_alone.pt")
    for name, module in {"nine_classes": Picture(classes=9), "text": Text(), "tokens": Tokens(), "pair": Pair()}.items():
        torch.jit.script(module).save(HERE / f"{name}.pt")
    probe = wave(784, 0.01).reshape(1, 1, 28, 28).float()
    with torch.no_grad():
        scores = picture.eval()(probe)[0].tolist()
    golden = {"names": [name for name, _ in scripted.named_parameters()] + [name for name, _ in scripted.named_buffers()],
              "scores": scores, "losses": losses_of(torch.jit.load(HERE / "scripted.pt"))}
    (HERE / "scripts.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
