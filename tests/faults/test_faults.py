"""Faults change nothing: whatever is killed, stopped or full, the last model has the bytes of an undisturbed training.

FAULTS=50 (per world size; `make soak`) instead of 10 in all, SEED=n to repeat a course.
"""
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import campaign  # noqa: E402

FAULTS = int(os.environ.get("FAULTS", "0"))
SEED = int(os.environ.get("SEED", "1"))
NO_SPACE = 74  # contract.h: state could not be stored


@pytest.mark.parametrize("ranks, faults", [(2, FAULTS or 4), (3, FAULTS or 3), (4, FAULTS or 3)])
def test_kills_and_stops_at_random_moments_change_no_bit(ranks, faults, tmp_path):
    for line in campaign.campaign(ranks, faults, tmp_path, SEED * 1000 + ranks):
        print(line, flush=True)


@pytest.mark.parametrize("asynchronous", [True, False])
def test_a_full_disk_leaves_the_older_checkpoints_and_the_resumed_run_is_exact(asynchronous, tmp_path):
    wanted, _ = campaign.undisturbed(2, tmp_path / "undisturbed")
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], check=True)
    try:
        run = campaign.Run(2, disk, asynchronous)
        while not (disk / "LATEST").exists():
            assert run.launcher.poll() is None, "the training ended before its first checkpoint"
        ballast = disk / "logs-ballast"
        with ballast.open("wb") as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
                    file.flush()
            except OSError:
                pass
        code, output = run.end()
        assert code == NO_SPACE, output
        assert "No space left on device" in output, output
        print(f"exit {code}:", next(line for line in output.splitlines() if "No space" in line))
        ballast.unlink()
        code, output = campaign.Run(2, disk).end()
        assert code == 0, output
        assert "resumed from step" in output and "is damaged" not in output
        assert campaign.final_model(disk) == wanted
    finally:
        subprocess.run(["umount", disk], check=True)
