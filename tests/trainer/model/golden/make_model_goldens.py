#!/usr/bin/env python3
"""Writes models.json: what reference models in Python compute, for the models of trainer/model to equal.

Needs torch and torchvision. Weights are a formula of name and position (`filled`), so none are stored; model_test.cc uses
the same formula. ResNets are torchvision's own; the GPT and the text classifier are written here with torch.nn.
"""
import json
import math
import zlib
from pathlib import Path

import torch
import torchvision
from torch import nn
from torch.nn import functional as F


def filled(module, skip=()):
    """Gives every parameter and buffer values that depend on its name alone."""
    for name, tensor in module.state_dict().items():
        if name in skip or not tensor.is_floating_point():
            continue
        phase = zlib.crc32(name.encode()) % 1000
        wave = torch.sin(torch.arange(tensor.numel(), dtype=torch.float64) * 0.37 + phase)
        is_norm_scale = tensor.dim() == 1 and name.endswith(("weight", "running_var"))
        fan_in = max(1, tensor.numel() // tensor.shape[0])
        values = 1 + 0.1 * wave if is_norm_scale else wave * (1 / math.sqrt(fan_in) if tensor.dim() > 1 else 0.1)
        tensor.copy_(values.reshape(tensor.shape).float())
    return module.eval()


def images(count, channels, side):
    wave = torch.sin(torch.arange(count * channels * side * side, dtype=torch.float64) * 0.013)
    return wave.reshape(count, channels, side, side).float()


def tokens(count, length, vocabulary):
    return torch.arange(count * length).mul(7).remainder(vocabulary).reshape(count, length)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.c_attn = nn.Linear(width, 3 * width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.c_attn(x).split(width, dim=2))
        weights = (q @ k.transpose(-2, -1)) / math.sqrt(width // self.heads)
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        seen = weights.masked_fill(future, -math.inf).softmax(-1) @ v
        return self.c_proj(seen.transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln_1 = nn.LayerNorm(width)
        self.attn = Attention(width, heads)
        self.ln_2 = nn.LayerNorm(width)
        self.mlp = nn.ModuleDict({"c_fc": nn.Linear(width, 4 * width), "c_proj": nn.Linear(4 * width, width)})

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x))))


class Gpt(nn.Module):
    def __init__(self, vocabulary, context, width, heads, layers):
        super().__init__()
        self.transformer = nn.ModuleDict({
            "wte": nn.Embedding(vocabulary, width),
            "wpe": nn.Embedding(context, width),
            "h": nn.ModuleList(Block(width, heads) for _ in range(layers)),
            "ln_f": nn.LayerNorm(width)})

    def forward(self, ids):
        x = self.transformer.wte(ids) + self.transformer.wpe(torch.arange(ids.shape[1]))
        for block in self.transformer.h:
            x = block(x)
        return self.transformer.ln_f(x) @ self.transformer.wte.weight.T


class TextClassifier(nn.Module):
    """Each text alone and unpadded, so that it shows what padding must not change."""

    def __init__(self, vocabulary, width, layers, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.gru = nn.GRU(width, width, num_layers=layers, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(4 * width, classes)

    def forward(self, ids, lengths):
        rows = []
        for row, length in zip(ids, lengths):
            states = self.gru(self.embedding(row[:length]).unsqueeze(0))[0][0]
            rows.append(torch.cat([states.mean(0), states.max(0).values]))
        return self.fc(torch.stack(rows))


def summary(scores):
    flat = scores.flatten().double()
    return {"shape": list(scores.shape), "first": flat[:8].tolist(), "mean": flat.mean().item(), "norm": flat.norm().item()}


def main():
    result = {"parameters": {}, "scores": {}}
    for name in ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152"):
        model = getattr(torchvision.models, name)(weights=None)
        result["parameters"][name] = {"count": sum(p.numel() for p in model.parameters()),
                                      "names_crc32": zlib.crc32("\n".join(sorted(model.state_dict())).encode())}
    with torch.no_grad():
        for name in ("resnet18", "resnet50"):
            model = filled(getattr(torchvision.models, name)(weights=None, num_classes=10))
            result["scores"][name] = summary(model(images(2, 3, 96)))
        result["scores"]["char-gpt"] = summary(filled(Gpt(31, 16, 24, 4, 2))(tokens(2, 16, 31)))
        result["scores"]["text-classifier"] = summary(
            filled(TextClassifier(31, 12, 2, 5))(tokens(3, 9, 31), [9, 4, 1]))
    Path(__file__).with_name("models.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
