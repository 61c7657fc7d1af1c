"""One rank of a training in Python for tests/bench/training.py: DistributedDataParallel, DistributedSampler and
DataLoader as their documents show them, with tests/parity's models. usage: python_training.py CASE.json OUTPUT.json"""
import json
import os
import re
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "parity"))
import python_ddp  # noqa: E402

CLASSES = 10
SIDE = 28
MEAN, STD = 0.286, 0.353


def model_of(case):
    if case["model"] == "mlp":
        return python_ddp.Mlp(SIDE * SIDE, case["hidden"], CLASSES)
    if case["model"] == "lenet":
        return python_ddp.LeNet(SIDE, CLASSES)
    import torchvision
    model = getattr(torchvision.models, case["model"])(num_classes=CLASSES)
    model.conv1 = nn.Conv2d(1, 64, 3, padding=1, bias=False)  # the stem for small images
    model.maxpool = nn.Identity()
    return model


class BatchesByIndex:
    """What a DataLoader would give, without its work for each sample: of the difference, the part that is not DDP's."""

    def __init__(self, data, batch, sampler):
        self.tensors, self.batch, self.sampler = data.tensors, batch, sampler

    def __iter__(self):
        for indices in torch.tensor(list(self.sampler)).split(self.batch):
            yield [tensor.index_select(0, indices) for tensor in self.tensors]


def batches_for_ever(case):
    """Bytes, scaled batch by batch: the same work and memory as in lockstep-train."""
    folder = Path(case["folder"])
    pixels = python_ddp.read_idx(folder / "images").unsqueeze(1)
    data = TensorDataset(pixels, python_ddp.read_idx(folder / "labels").long())
    sampler = DistributedSampler(data)
    batch = case["batch_size"] // dist.get_world_size()
    loader = BatchesByIndex(data, batch, sampler) if case["is_lean"] else DataLoader(data, batch, sampler=sampler)
    epoch = 0
    while True:
        sampler.set_epoch(epoch)
        for images, labels in loader:
            yield images.float().mul_(1 / (255 * STD)).add_(-MEAN / STD), labels
        epoch += 1


def save(model, optimizer, file, is_durable):
    """Seconds of a torch.save; a durable one is on the disk before it has its name."""
    began = time.monotonic()
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
    if not is_durable:
        torch.save(state, file)
        return time.monotonic() - began
    with open(f"{file}.new", "wb") as stream:
        torch.save(state, stream)
        stream.flush()
        os.fsync(stream.fileno())
    os.rename(f"{file}.new", file)
    directory = os.open(os.path.dirname(file), os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
    return time.monotonic() - began


def train(case):
    """Rates are counted from step `warmup` on."""
    model = DistributedDataParallel(model_of(case))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    total = torch.zeros(2, dtype=torch.float64)
    figures = {"saves": [], "durable_saves": []}
    for step, (images, labels) in enumerate(batches_for_ever(case), 1):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += torch.stack([loss.detach().double() * len(labels), torch.tensor(float(len(labels)))])
        if step == 1:
            figures["first_step_at"] = time.time()
        if step == case["warmup"]:
            began = time.monotonic()
        if step % case["warmup"] == 0:
            dist.all_reduce(total)  # as for a log line
            total.zero_()
        if case["save_every"] and step % case["save_every"] == 0 and dist.get_rank() == 0:
            is_durable = step // case["save_every"] % 2 == 0
            seconds = save(model.module, optimizer, f"{case['folder']}/python.pt", is_durable)
            figures["durable_saves" if is_durable else "saves"].append(seconds)
        if step == case["steps"]:
            break
    figures["seconds"] = time.monotonic() - began
    return figures


def main():
    case = {"save_every": 0, "is_lean": False} | json.loads(Path(sys.argv[1]).read_text())
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    figures = train(case)
    status = Path("/proc/self/status").read_text()
    figures["mebibytes"] = int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024
    if dist.get_rank() == 0:
        Path(sys.argv[2]).write_text(json.dumps(figures))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
