"""An image that knows nothing of us: a Python script gets ranks, tells its progress and leaves its last words."""
import re

import pytest

from conftest import CLUSTER, run
from kube import ROOT, condition, training_job

IMAGE = "docker.io/lockstep/script:test"
RESTRICTED = {"runAsNonRoot": True, "runAsUser": 1000, "allowPrivilegeEscalation": False,
              "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}}
SCRIPT = """
import os, time
from report import report
rank = int(os.environ["RANK"])
print("ENV", *(f"{name}={os.environ[name]}" for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "NODE_RANK")), flush=True)
for step in range(1, 81):
    report(phase="step", step=step, steps=80, loss=1 / step, samplesPerSecond=512)
    if os.environ.get("BAD_RANK") == str(rank) and step == 8:
        raise ValueError(f"rank {rank} met a bad batch")
    time.sleep(0.25)
"""


@pytest.fixture(scope="module")
def script_image(node_cluster, tmp_path_factory):
    """Debian's Python, the script, and the lines that docs/progress.md tells people to write."""
    folder = tmp_path_factory.mktemp("script")
    sample = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "progress.md").read_text(), re.DOTALL).group(1)
    (folder / "report.py").write_text(sample)
    (folder / "train.py").write_text(SCRIPT)
    (folder / "Dockerfile").write_text(
        "FROM docker.io/library/debian:bookworm-slim\n"
        "RUN apt-get update && apt-get install -y --no-install-recommends python3\n"
        "COPY report.py train.py /app/\n")
    run("buildah", "bud", "--quiet", "--isolation", "chroot", "--pull-never", "--layers", "-t", IMAGE, folder, timeout=300)
    archive = folder / "script.tar"
    run("buildah", "push", "--quiet", IMAGE, f"docker-archive:{archive}:{IMAGE}", timeout=120)
    run(CLUSTER, "load", archive, timeout=120)


def script(name, **spec):
    trainer = {"name": "trainer", "imagePullPolicy": "Never", "securityContext": RESTRICTED}
    return training_job(name, image=IMAGE, launcher="Inject", command=["python3", "/app/train.py"], numNodes=2, procPerNode=2,
                        template={"spec": {"containers": [trainer]}}, **spec)


def test_a_python_script_gets_its_ranks_and_shows_its_progress(kube, script_image):
    kube.apply(script("scripted", runPolicy={"cleanPodPolicy": "None"}))
    seen = kube.wait("its progress", lambda: (
        lambda s: s if "%" in s.get("display", {}).get("progress", "") else None)(kube.status("scripted")))
    assert seen["worldSize"] == 4 and seen["progress"]["steps"] == 80 and seen["display"]["throughput"] == "512/s"
    end = kube.wait_phase("scripted", "Succeeded", "Failed")
    assert end["phase"] == "Succeeded" and end["display"]["progress"] == "100%"
    lines = [line.split("ENV ")[1] for pod in ("scripted-0", "scripted-1") for line in kube.logs(pod).splitlines() if "ENV" in line]
    assert sorted(lines) == [f"RANK={rank} LOCAL_RANK={rank % 2} WORLD_SIZE=4 NODE_RANK={rank // 2}" for rank in range(4)]


def test_the_rank_that_raises_is_named_with_its_words(kube, script_image):
    kube.apply(script("raising", env=[{"name": "BAD_RANK", "value": "2"}], runPolicy={"backoffLimit": 0}))
    status = kube.wait_phase("raising", "Failed")
    failure = status["lastFailure"]
    assert (failure["nodeRank"], failure["rank"], failure["exitCode"]) == (1, 2, 1), failure
    assert "ValueError: rank 2 met a bad batch" in failure["message"]
    assert "ValueError: rank 2 met a bad batch" in condition(status, "Failed")["message"]
