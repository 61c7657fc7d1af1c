#!/usr/bin/env python3
"""Writes an event file with TensorBoard's own writer beside itself, for the encoder to be held against.

Needs tensorboard 2.21; run it by hand, the result is checked in. `--read FOLDER` prints, as JSON, the scalars that
TensorBoard's own reader finds in a folder of a run: {tag: [[step, value], ...]}.
"""
import json
import sys
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

HERE = Path(__file__).resolve().parent
TIME = 1700000000.25
SCALARS = [
    (0, [("train_loss_iteration", 2.5)]),
    (127, [("train_loss_iteration", 0.0), ("learning_rate", 0.1)]),
    (128, [("val_top1_acc_epoch", 98.75)]),
    (16384, []),
    (2**40 + 3, [("t" * 200, -1e30), ("gr\u00f6\u00dfe", 1e-40)]),
]


def events():
    yield event_pb2.Event(wall_time=TIME, file_version="brain.Event:2")
    yield event_pb2.Event(wall_time=TIME, step=121,
                          session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START))
    for step, scalars in SCALARS:
        values = [summary_pb2.Summary.Value(tag=tag, simple_value=value) for tag, value in scalars]
        yield event_pb2.Event(wall_time=TIME, step=step, summary=summary_pb2.Summary(value=values))


def scalars_in(folder):
    accumulator = EventAccumulator(folder, size_guidance={"scalars": 0})
    accumulator.Reload()
    return {tag: [[event.step, event.value] for event in accumulator.Scalars(tag)]
            for tag in accumulator.Tags()["scalars"]}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(scalars_in(sys.argv[2])))
    else:
        with open(HERE / "written_by_tensorboard.tfevents", "wb") as file:
            writer = RecordWriter(file)
            for event in events():
                writer.write(event.SerializeToString())
