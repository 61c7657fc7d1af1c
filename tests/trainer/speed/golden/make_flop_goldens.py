#!/usr/bin/env python3
"""Writes flops.json: what torch.utils.flop_counter.FlopCounterMode counts in a forward pass of the models of trainer/model.

Needs torch and torchvision. LeNet, the perceptron and the GPT are written here with torch.nn, ResNet is torchvision's.
"""
import json
from pathlib import Path

import torch
import torchvision
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.c_attn(x).chunk(3, dim=2))
        weights = (q @ k.transpose(-2, -1)).softmax(-1)
        return self.c_proj((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = Attention(width, heads)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.narrow(F.gelu(self.widen(x)))


class Gpt(nn.Module):
    def __init__(self, vocabulary, width, heads, layers):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))

    def forward(self, ids):
        return self.blocks(self.tokens(ids)) @ self.tokens.weight.T


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def flops(model, batch):
    with FlopCounterMode(display=False) as counter:
        model(batch)
    return counter.get_total_flops()


def main():
    result = {"lenet": flops(lenet(), torch.zeros(7, 1, 28, 28)),
              "mlp": flops(mlp(), torch.zeros(7, 1, 28, 28)),
              "resnet18": flops(torchvision.models.resnet18(num_classes=10), torch.zeros(2, 3, 96, 96)),
              "resnet50": flops(torchvision.models.resnet50(num_classes=10), torch.zeros(2, 3, 96, 96)),
              "char-gpt": flops(Gpt(31, 24, 4, 2), torch.zeros(3, 16, dtype=torch.int64))}
    Path(__file__).with_name("flops.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
