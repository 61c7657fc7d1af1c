"""What users see of a real training while it runs, and what becomes of one that stands still."""
import os
import signal
from pathlib import Path

from kube import condition
from test_training import final_model, reached_step, training


def process_of(job, rank):
    """The process of one rank, seen from outside of its container."""
    wanted = {f"LOCKSTEP_JOB_NAME={job}", f"RANK={rank}"}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if wanted <= set((folder / "environ").read_text(errors="replace").split("\0")):
                return int(folder.name)
        except OSError:
            continue  # it has ended, or is a thread of the kernel
    raise AssertionError(f"{job} has no process of rank {rank}")


def test_a_training_shows_how_far_it_is(kube):
    kube.apply(training("shown", max_steps=800))
    seen = kube.wait("progress, speed and an end", lambda: (
        lambda s: s if {"progress", "eta", "throughput", "loss"} <= set(s.get("display", {})) else None)(kube.status("shown")))
    progress = seen["progress"]
    assert 0 < progress["step"] < progress["steps"] == 800 and progress["epochs"] == 2
    assert seen["display"]["progress"] == f"{100 * progress['step'] // 800}%"
    assert 0 < progress["loss"] < 3 and progress["samplesPerSecond"] > 0 and progress["secondsRemaining"] > 0
    table = kube.kubectl("get", "tj", "shown", "-o", "wide").stdout
    for column in ("PROGRESS", "ETA", "THROUGHPUT", "LOSS"):
        assert column in table
    end = kube.wait_phase("shown", "Succeeded", "Failed", seconds=180)
    assert end["phase"] == "Succeeded" and end["display"]["progress"] == "100%" and "eta" not in end["display"]


def test_a_rank_that_stands_still_is_named_and_the_job_restarts(kube, volume):
    claim, folder = volume
    kube.apply(training("frozen", claim, runPolicy={"stallTimeoutSeconds": 10}))
    reached_step(kube, "frozen-0", 60)
    os.kill(process_of("frozen", 3), signal.SIGSTOP)
    stalled = kube.wait("the stall to be seen", lambda: (
        lambda s: s if condition(s, "Stalled").get("status") == "True" else None)(kube.status("frozen")), seconds=40)
    assert "stalled" in stalled["display"]["progress"]
    failure = kube.status("frozen")["lastFailure"]
    assert (failure["reason"], failure["nodeRank"], failure["rank"]) == ("Stalled", 1, 3), failure
    assert "in phase step" in failure["message"], failure
    end = kube.wait_phase("frozen", "Succeeded", "Failed", seconds=180)
    assert end["phase"] == "Succeeded" and end["restarts"]["failures"] == 1
    assert condition(end, "Stalled")["status"] != "True", "it may end before it was asked again"
    assert final_model(folder, "frozen")
