"""Trainings that are killed again and again, at random moments, and must end as if nothing had happened."""
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build" / "dev" / "trainer"
LAUNCH, TRAIN = BUILD / "launch" / "lockstep-launch", BUILD / "lockstep-train"
SETTINGS = {"data.train.format": "synthetic", "data.train.samples": 960, "data.val.samples": 120, "train.batch_size": 24, "train.epochs": 3,
            "optim.name": "adamw", "optim.lr": 0.002, "optim.ema_decay": 0.9, "log.every_steps": 10, "checkpoint.every_steps": 2}
STEPS = 120
STOPPED = 80
LONGEST = 120  # seconds that one run may take


class Run:
    """One start of a training under the launcher."""

    def __init__(self, ranks, checkpoints, asynchronous=True):
        settings = SETTINGS | {"checkpoint.directory": checkpoints, "checkpoint.asynchronous": str(asynchronous).lower()}
        words = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        self.checkpoints = checkpoints
        self.launcher = subprocess.Popen([LAUNCH, "--standalone", "--nproc", str(ranks), "--", TRAIN, "run", *words], stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})

    def ranks(self):
        """Process ids of the ranks that live."""
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and (entry / "stat").read_text().rsplit(")", 1)[1].split()[1] == str(self.launcher.pid):
                    found.append(int(entry.name))
            except OSError:
                pass  # it ended meanwhile
        return found

    def kill(self, victims):
        for pid in victims:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def wait_until_writing(self, deadline):
        """Until a checkpoint is half written, or the run or the time is over."""
        while self.launcher.poll() is None and time.monotonic() < deadline:
            if any(not entry.name.startswith(("step-", "LATEST", "logs")) for entry in os.scandir(self.checkpoints)):
                return
            time.sleep(0.0002)

    def end(self):
        """Exit code and output, when no rank is left either."""
        ranks = self.ranks()
        output, _ = self.launcher.communicate(timeout=LONGEST)
        while any(Path(f"/proc/{pid}").exists() for pid in ranks):
            time.sleep(0.001)
        return self.launcher.returncode, output


def final_model(checkpoints):
    return (checkpoints / f"step-{STEPS}" / "model.safetensors").read_bytes()


def undisturbed(ranks, checkpoints):
    """The bytes to end with, and how long that takes."""
    checkpoints.mkdir()
    began = time.monotonic()
    code, output = Run(ranks, checkpoints).end()
    assert code == 0, output
    return final_model(checkpoints), time.monotonic() - began


def disturb(run, kind, moment, dice):
    if moment == "in a checkpoint":
        run.wait_until_writing(time.monotonic() + LONGEST)
    ranks = run.ranks()
    if kind == "stop":
        run.launcher.send_signal(signal.SIGTERM)
    elif kind == "launcher" or not ranks:
        run.kill([run.launcher.pid])
    elif kind == "all":
        run.kill([run.launcher.pid, *ranks])
    else:
        run.kill([dice.choice(ranks)])


def campaign(ranks, faults, folder, seed):
    """Starts trainings until so many faults have hit them; yields a line about each fault and each training that ended."""
    dice = random.Random(seed)
    wanted, seconds = undisturbed(ranks, folder / "undisturbed")
    yield f"{ranks} ranks: undisturbed in {seconds:.1f} s, {len(wanted)} bytes"
    done, number = 0, 0
    while done < faults:
        number += 1
        checkpoints = folder / f"training-{number}"
        checkpoints.mkdir()
        while True:
            asynchronous = dice.choice((True, False))
            run = Run(ranks, checkpoints, asynchronous)
            kind = dice.choice(("rank", "rank", "launcher", "all", "stop"))
            moment = dice.choice(("in a checkpoint", "at random"))
            is_hit = False
            if done < faults:
                deadline = time.monotonic() + dice.uniform(0, seconds)
                while run.launcher.poll() is None and time.monotonic() < deadline:
                    time.sleep(0.001)
                is_hit = run.launcher.poll() is None
            if is_hit:
                disturb(run, kind, moment, dice)
                done += 1
            code, output = run.end()
            allowed = {"rank": (0, 137, 75), "launcher": (-9, 0), "all": (-9, 0), "stop": (0, STOPPED, 143)}[kind] if is_hit else (0,)
            assert code in allowed, f"{kind} {moment}: exit {code}\n{output}"
            latest = (checkpoints / "LATEST").read_text().strip() if (checkpoints / "LATEST").exists() else "no checkpoint"
            if is_hit:
                beside = "beside" if asynchronous else "within"
                yield f"{ranks} ranks: fault {done}: {kind} {moment} {beside} the training, exit {code}, {latest}"
            if code == 0:
                break
        assert final_model(checkpoints) == wanted, f"{ranks} ranks: training {number} ended with other bytes, seed {seed}"
        yield f"{ranks} ranks: training {number} ended with the bytes of the undisturbed one"
        shutil.rmtree(checkpoints)
