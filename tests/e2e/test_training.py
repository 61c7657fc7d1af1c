"""Whole trainings on the real node: containers, pod network, LibTorch; watched through kubectl only."""
import json
import re
import subprocess
from pathlib import Path

import pytest

from conftest import drop_namespace, fresh_namespace, helm, install_chart, make_volume
from kube import condition, training_job

DATA = "/usr/share/datasets/fashion-mnist"
SMALL = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "1Gi"}}


def training(name, claim=None, max_steps=400, **extra):
    """A short real training that checkpoints every 50 steps; the same one in every test here, so that results compare."""
    config = {"model": {"name": "lenet"}, "data": {"train": {"path": DATA}},
              "train": {"epochs": 2, "batch_size": 128, "max_steps": max_steps},
              "checkpoint": {"every_steps": 50, "keep": 20}, "log": {"every_steps": 10}}
    shape = {} if "nodeGroups" in extra else {"numNodes": 2, "procPerNode": 2}
    spec = {**shape, "resourcesPerNode": SMALL, "config": config, **extra}
    if claim:
        spec["checkpoints"] = {"claimName": claim}
    return training_job(name, **spec)


def plain(name, script, **spec):
    """A job of the trainer image that runs a shell script under the launcher."""
    return training_job(name, command=["lockstep-launch", "--"], args=["sh", "-c", script], resourcesPerNode=SMALL, **spec)


def reached_step(kube, pod, step, seconds=120):
    """Waits until the log of rank 0 shows that training is past `step`."""
    def passed():
        steps = [int(s) for s in re.findall(r"step (\d+)/", kube.logs(pod))]
        return steps and max(steps) >= step

    kube.wait(f"{pod} to pass step {step}", passed, seconds)


def final_model(folder, job):
    """The bytes of model.safetensors in the newest checkpoint of a job."""
    newest = max((Path(folder) / job).glob("step-*"), key=lambda p: int(p.name.split("-")[1]))
    return (newest / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def undisturbed(cluster):
    """The final weights of the training that nobody disturbs."""
    kube = fresh_namespace(cluster)
    claim, folder = make_volume(kube)
    kube.apply(training("calm", claim))
    status = kube.wait_phase("calm", "Succeeded", "Failed", seconds=180)
    assert status["phase"] == "Succeeded", kube.picture()
    yield final_model(folder, "calm")
    drop_namespace(kube)


def test_every_rank_appears_once_with_the_right_environment(kube):
    names = ("RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK GROUP_WORLD_SIZE NNODES NODE_RANK NPROC_PER_NODE "
             "MASTER_ADDR MASTER_PORT PET_NNODES PET_NODE_RANK LOCKSTEP_JOB_NAME LOCKSTEP_ATTEMPT LOCKSTEP_NAMESPACE")
    script = "echo ENV " + " ".join(f"{n}=${n}" for n in names.split())
    kube.apply(plain("ranks", script, numNodes=2, procPerNode=2, runPolicy={"cleanPodPolicy": "None"}))
    kube.wait_phase("ranks", "Succeeded")
    lines = [line for pod in ("ranks-0", "ranks-1") for line in kube.logs(pod).splitlines() if "ENV " in line]
    seen = [dict(pair.split("=", 1) for pair in line.split("ENV ")[1].split()) for line in lines]
    assert sorted(int(env["RANK"]) for env in seen) == [0, 1, 2, 3]
    for env in seen:
        rank = int(env["RANK"])
        node = rank // 2
        expected = {"LOCAL_RANK": rank % 2, "WORLD_SIZE": 4, "LOCAL_WORLD_SIZE": 2, "GROUP_RANK": node, "GROUP_WORLD_SIZE": 2,
                    "NNODES": 2, "NODE_RANK": node, "NPROC_PER_NODE": 2, "MASTER_PORT": 29500, "PET_NNODES": 2,
                    "PET_NODE_RANK": node, "LOCKSTEP_ATTEMPT": 1, "LOCKSTEP_JOB_NAME": "ranks",
                    "LOCKSTEP_NAMESPACE": kube.namespace, "MASTER_ADDR": f"ranks-0.ranks.{kube.namespace}.svc"}
        assert {k: env[k] for k in expected} == {k: str(v) for k, v in expected.items()}


def test_a_deleted_pod_costs_one_restart_and_not_one_bit(kube, volume, undisturbed):
    claim, folder = volume
    kube.apply(training("fallen", claim))
    reached_step(kube, "fallen-0", 120)
    kube.kubectl("delete", "pod", "fallen-1", "--grace-period=0", "--force")
    kube.wait("a second attempt", lambda: kube.status("fallen").get("attempt") == 2)
    kube.wait("the resume line", lambda: re.search(r"resumed from step \d+", kube.logs("fallen-0")))
    status = kube.wait_phase("fallen", "Succeeded", "Failed", seconds=180)
    assert status["phase"] == "Succeeded"
    assert status["restarts"]["disruptions"] == 1 and status["restarts"].get("failures", 0) == 0
    assert status["display"]["restarts"] == "1"
    assert final_model(folder, "fallen") == undisturbed


def test_unequal_nodes_train_to_the_same_bits(kube, volume, undisturbed):
    """1 and 3 processes are the same four ranks as 2 and 2, once each computes with one thread."""
    claim, folder = volume
    groups = [{"name": "one", "procPerNode": 1}, {"name": "three", "procPerNode": 3}]
    kube.apply(training("uneven", claim, nodeGroups=groups, env=[{"name": "OMP_NUM_THREADS", "value": "1"}]))
    status = kube.wait_phase("uneven", "Succeeded", "Failed", seconds=180)
    assert status["phase"] == "Succeeded" and status["worldSize"] == 4
    assert final_model(folder, "uneven") == undisturbed


def test_suspend_and_resume_continue_the_training(kube, volume, undisturbed):
    claim, folder = volume
    kube.apply(training("pausing", claim))
    reached_step(kube, "pausing-0", 100)
    kube.kubectl("patch", "tj", "pausing", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":true}}}')
    kube.wait_phase("pausing", "Suspended")
    kube.wait("no pods while suspended", lambda: not kube.pods("pausing"))
    assert kube.get("service", "pausing")
    kube.kubectl("patch", "tj", "pausing", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":false}}}')
    kube.wait("the resume line", lambda: re.search(r"resumed from step \d+", kube.logs("pausing-0")))
    status = kube.wait_phase("pausing", "Succeeded", "Failed", seconds=180)
    assert status["phase"] == "Succeeded"
    assert final_model(folder, "pausing") == undisturbed


def test_a_killed_operator_changes_nothing(cluster, kube, volume, undisturbed):
    claim, folder = volume
    kube.apply(training("orphaned", claim))
    reached_step(kube, "orphaned-0", 60)
    before = {pod["metadata"]["uid"] for pod in kube.pods("orphaned")}
    cluster.kubectl("-n", "lockstep-system", "delete", "pod", "-l", "app.kubernetes.io/name=lockstep-operator",
                    "--grace-period=0", "--force")
    status = kube.wait_phase("orphaned", "Succeeded", "Failed", seconds=180)
    assert status["phase"] == "Succeeded" and status["attempt"] == 1
    assert {pod["metadata"]["uid"] for pod in kube.pods("orphaned")} == before
    assert final_model(folder, "orphaned") == undisturbed


def test_a_command_that_does_not_exist_fails_with_the_reason(kube):
    kube.apply(training_job("typo", numNodes=2, command=["lockstep-lunch"], resourcesPerNode=SMALL))
    status = kube.wait_phase("typo", "Failed", seconds=60)
    assert "lockstep-lunch" in json.dumps(status["lastFailure"])
    assert status["attempt"] == 1, "a missing command is permanent"
    assert condition(status, "Failed")["reason"]
    kube.wait("no running pod", lambda: all(p["status"]["phase"] in ("Failed", "Succeeded") for p in kube.pods("typo")))


def test_a_failing_rank_is_named_and_restarts_stop_at_the_limit(kube):
    script = 'if [ "$RANK" = 2 ]; then echo the disk is on fire; exit 3; fi; exec sleep 600'
    kube.apply(plain("burning", script, numNodes=2, procPerNode=2, runPolicy={"backoffLimit": 1}))
    status = kube.wait_phase("burning", "Failed", seconds=120)
    assert status["attempt"] == 2 and status["restarts"]["failures"] == 1
    failure = status["lastFailure"]
    assert (failure["nodeRank"], failure["rank"], failure["exitCode"]) == (1, 2, 3)
    assert "the disk is on fire" in failure["message"]
    kube.wait("no running pod", lambda: all(p["status"]["phase"] in ("Failed", "Succeeded") for p in kube.pods("burning")))


def test_deleting_the_job_leaves_nothing(kube):
    kube.apply(plain("fleeting", "exec sleep 600", numNodes=2))
    kube.wait_phase("fleeting", "Running")
    kube.kubectl("delete", "tj", "fleeting")
    kube.wait("pods and Service to be collected",
              lambda: not kube.pods("fleeting") and not kube.get("service", "fleeting"))


def test_helm_uninstall_leaves_running_jobs_alone(cluster, kube):
    kube.apply(plain("steady", "exec sleep 600", numNodes=2))
    kube.wait_phase("steady", "Running")
    before = {pod["metadata"]["uid"] for pod in kube.pods("steady")}
    helm(cluster, "uninstall", "lockstep", "--namespace", "lockstep-system", "--wait")
    try:
        pods = kube.pods("steady")
        assert kube.job("steady") and {p["metadata"]["uid"] for p in pods} == before
        assert all(p["status"]["phase"] == "Running" and "deletionTimestamp" not in p["metadata"] for p in pods)
    finally:
        install_chart(cluster)
    status = kube.wait_phase("steady", "Running")
    assert status["attempt"] == 1 and {p["metadata"]["uid"] for p in kube.pods("steady")} == before


def test_reserved_names_and_secrets_of_the_pod_are_closed(kube):
    """The pods run under Pod Security `restricted`, without a service account token."""
    kube.apply(plain("closed", "id -u; ls /var/run/secrets 2>&1; df /dev/shm | tail -n 1", runPolicy={"cleanPodPolicy": "None"}))
    kube.wait_phase("closed", "Succeeded")
    text = kube.logs("closed-0")
    assert "] 0\n" not in text and "No such file" in text and "/dev/shm" in text


@pytest.fixture
def gpus():
    """The node advertises 4 GPUs while the test runs: an extended resource needs no device to be scheduled."""
    cluster = Path(__file__).resolve().parents[1] / "cluster" / "cluster"
    subprocess.run([cluster, "gpus", "4"], check=True, capture_output=True)
    yield
    subprocess.run([cluster, "gpus", "0"], check=True, capture_output=True)


def gpu_job(name, count, backend, **extra):
    config = {"model": {"name": "mlp"}, "data": {"train": {"path": DATA}},
              "train": {"epochs": 1, "batch_size": 128, "max_steps": 3, "backend": backend}}
    limits = {"limits": {"nvidia.com/gpu": count, "memory": "1Gi"}, "requests": {"cpu": "50m"}}
    return training_job(name, numNodes=2, resourcesPerNode=limits, config=config, **extra)


def test_gpu_jobs_take_their_process_count_from_the_limits(kube, gpus):
    kube.apply(gpu_job("cards", 2, "auto", runPolicy={"cleanPodPolicy": "None"}))
    status = kube.wait_phase("cards", "Succeeded", "Failed")
    assert status["phase"] == "Succeeded" and status["worldSize"] == 4
    assert re.search(r"no CUDA device.*gloo", kube.logs("cards-0"), re.I)


def test_too_many_gpus_stay_pending_with_the_schedulers_words(kube, gpus):
    kube.apply(gpu_job("greedy", 3, "auto"))
    status = kube.wait("the scheduler's words in status", lambda: (
        lambda s: s if "Insufficient nvidia.com/gpu" in json.dumps(s) else None)(kube.status("greedy")), seconds=60)
    assert status["phase"] == "Pending"


def test_nccl_without_a_device_is_a_usage_error(kube, gpus):
    kube.apply(gpu_job("wishful", 1, "nccl"))
    status = kube.wait_phase("wishful", "Failed", seconds=60)
    assert status["lastFailure"]["exitCode"] == 64 and status["attempt"] == 1
    assert "nccl" in status["lastFailure"]["message"]
