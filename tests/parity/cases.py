"""The trainings that are run both ways: a case is what differs, the rest is common."""
import struct
from pathlib import Path

STEPS = 200
SAMPLES = 500  # no multiple of a batch: every epoch has a smaller last step
SIDE = 16
COMMON = {"model": "mlp", "hidden": [40, 24], "batch_size": 24, "accumulate": 1, "clip": 0, "seed": 7, "mean": 0.3, "std": 0.4, "steps": STEPS}

CASES = {
    "sgd": {"optimizer": "sgd", "options": {"lr": 0.05}},
    "sgd_momentum_decay": {"optimizer": "sgd", "options": {"lr": 0.05, "momentum": 0.9, "nesterov": True, "weight_decay": 1e-4}},
    "adam": {"optimizer": "adam", "options": {"lr": 2e-3, "weight_decay": 1e-3}},
    "adamw": {"optimizer": "adamw", "options": {"lr": 2e-3, "weight_decay": 0.05}},
    "sgd_accumulate": {"optimizer": "sgd", "options": {"lr": 0.05, "momentum": 0.9}, "accumulate": 3},
    "adamw_accumulate_clip": {"optimizer": "adamw", "options": {"lr": 2e-3}, "accumulate": 2, "clip": 0.5},
    "sgd_clip": {"optimizer": "sgd", "options": {"lr": 0.05, "momentum": 0.9}, "clip": 0.3},
    "lenet_batch_norm": {"optimizer": "sgd", "options": {"lr": 0.05, "momentum": 0.9}, "model": "lenet"},
}


def case(name, folder):
    """All of a case, with its files in `folder`."""
    files = {kind: str(folder / kind) for kind in ("images", "labels")}
    model = CASES[name].get("model", COMMON["model"])
    return COMMON | CASES[name] | files | {"weights": str(folder / f"{model}.safetensors")}


def settings(case, folder):
    """The same case for lockstep-train."""
    options = case["options"]
    named = {
        "seed": case["seed"],
        "model.name": case["model"], "model.hidden": case["hidden"], "model.weights": case["weights"],
        "data.train.path": folder, "data.train.images": "images", "data.train.labels": "labels",
        "data.val.images": "images", "data.val.labels": "labels",
        "data.mean": case["mean"], "data.std": case["std"],
        "train.batch_size": case["batch_size"], "train.accumulate": case["accumulate"],
        "train.epochs": 1000, "train.max_steps": case["steps"], "train.eval_every_epochs": 1000,
        "optim.name": case["optimizer"], "optim.lr": options["lr"], "optim.weight_decay": options.get("weight_decay", 0.01 if case["optimizer"] == "adamw" else 0),
        "optim.momentum": options.get("momentum", 0), "optim.nesterov": str(options.get("nesterov", False)).lower(),
        "optim.clip_norm": case["clip"],
        "schedule.name": "constant", "ddp.rebuild_buckets": "true", "log.every_steps": 1,
    }
    return [word for name, value in named.items() for word in ("--set", f"{name}={value}")]


def write_data(folder: Path):
    """Images in which the position of a bright spot tells the label; a formula, the same everywhere."""
    state = 12345
    pixels, labels = bytearray(), bytearray()
    for sample in range(SAMPLES):
        label = sample * 7 % 10
        labels.append(label)
        for row in range(SIDE):
            for column in range(SIDE):
                state = (state * 1103515245 + 12345) % 2**31
                noise = (state >> 16) % 128
                is_spot = row // 4 == label // 4 and column // 4 == label % 4
                pixels.append(min(255, noise + (90 if is_spot else 0)))
    (folder / "images").write_bytes(struct.pack(">BBBBIII", 0, 0, 8, 3, SAMPLES, SIDE, SIDE) + pixels)
    (folder / "labels").write_bytes(struct.pack(">BBBBI", 0, 0, 8, 1, SAMPLES) + labels)
