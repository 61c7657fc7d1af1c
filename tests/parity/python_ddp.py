"""One rank of a training with Python's DistributedDataParallel, DistributedSampler and torch.optim, as their documents show it.

Started by tests/parity/run with torchrun's environment: python_ddp.py CASE.json OUTPUT.json. Rank 0 writes the mean loss of each step
over all ranks (float64) and the CRC-32 of the final weights' bytes.
"""
import json
import struct
import sys
import zlib

import torch
import torch.distributed as dist
from safetensors.torch import load_file
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def read_idx(path):
    content = open(path, "rb").read()
    dimensions = content[3]
    shape = struct.unpack(f">{dimensions}I", content[4:4 + 4 * dimensions])
    return torch.frombuffer(bytearray(content[4 + 4 * dimensions:]), dtype=torch.uint8).reshape(shape)


class Mlp(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        layers = []
        for width in hidden:
            layers += [nn.Linear(inputs, width), nn.ReLU()]
            inputs = width
        self.layers = nn.Sequential(*layers, nn.Linear(inputs, classes))

    def forward(self, images):
        return self.layers(images.flatten(1))


class LeNet(nn.Module):
    def __init__(self, side, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * ((side // 2 - 4) // 2) ** 2, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)
        self.norm1 = nn.BatchNorm2d(6)
        self.norm2 = nn.BatchNorm2d(16)

    def forward(self, images):
        maps = torch.max_pool2d(self.norm1(self.conv1(images)).relu(), 2)
        maps = torch.max_pool2d(self.norm2(self.conv2(maps)).relu(), 2)
        return self.fc3(self.fc2(self.fc1(maps.flatten(1)).relu()).relu())


def model_of(case, side):
    model = LeNet(side, 10) if case["model"] == "lenet" else Mlp(side * side, case["hidden"], 10)
    model.load_state_dict(load_file(case["weights"]))
    return model


def optimizer_of(case, parameters):
    kinds = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}
    return kinds[case["optimizer"]](parameters, **case["options"])


def main():
    case = json.load(open(sys.argv[1]))
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    images = read_idx(case["images"])
    pixels = images.unsqueeze(1).float().mul_(1 / (255 * case["std"])).add_(-case["mean"] / case["std"])
    data = TensorDataset(pixels, read_idx(case["labels"]).long())
    sampler = DistributedSampler(data, seed=case["seed"])
    batch = case["batch_size"] // world // case["accumulate"]
    loader = DataLoader(data, batch_size=batch, sampler=sampler)

    model = DistributedDataParallel(model_of(case, images.shape[2]))
    optimizer = optimizer_of(case, model.parameters())
    losses = []
    epoch = 0
    while len(losses) < case["steps"]:
        sampler.set_epoch(epoch)
        epoch += 1
        batches = list(loader)
        for first in range(0, len(batches), case["accumulate"]):
            group = batches[first:first + case["accumulate"]]
            samples = sum(len(labels) for _, labels in group)
            total = torch.zeros(2, dtype=torch.float64)
            optimizer.zero_grad()
            for number, (inputs, labels) in enumerate(group):
                def backward():
                    loss = nn.functional.cross_entropy(model(inputs), labels)
                    (loss / (samples / len(labels))).backward()
                    total.add_(torch.tensor([loss.item() * len(labels), len(labels)], dtype=torch.float64))
                if number + 1 < len(group):
                    with model.no_sync():
                        backward()
                else:
                    backward()
            if case["clip"]:
                torch.nn.utils.clip_grad_norm_(model.parameters(), case["clip"])
            optimizer.step()
            dist.all_reduce(total)
            losses.append((total[0] / total[1]).item())
            if len(losses) == case["steps"]:
                break
    if rank == 0:
        crc = 0
        for _, tensor in sorted(model.module.state_dict().items()):
            crc = zlib.crc32(tensor.numpy().tobytes(), crc)
        json.dump({"losses": losses, "weights_crc32": crc}, open(sys.argv[2], "w"))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
