"""The operator with Kubernetes' own scheduler: gangs through the native PodGroup, taints and quotas."""
import json

import pytest

from kube import condition, training_job
from made_up_nodes import MadeUpNodes, scheduled
from operator_process import Operator
from rights import Rights, kubeconfig_of_the_chart

ONE_CPU = {"requests": {"cpu": "1"}}


@pytest.fixture(scope="module")
def nodes():
    """Serves scheduling.k8s.io/v1beta1 PodGroups, off by default in Kubernetes 1.37."""
    with MadeUpNodes("scheduling", "--feature-gates=GenericWorkload=true",
                     "--runtime-config=scheduling.k8s.io/v1beta1=true") as made_up:
        yield made_up


@pytest.fixture
def kube(nodes):
    with nodes.namespace() as inside:
        yield inside


@pytest.fixture
def operator(kube, tmp_path):
    """With the rights that the chart gives."""
    rights = kubeconfig_of_the_chart(kube, tmp_path, "gangScheduling.native=true")
    running = Operator(f"--kubeconfig={rights}", f"--namespace={kube.namespace}", integrations="native")
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture
def room_for_three(nodes):
    names = ["small-0", "small-1", "small-2"]
    for name in names:
        nodes.add(name, cpus=1)
    yield
    nodes.remove(*names)


def gang(name):
    return training_job(name, numNodes=2, resourcesPerNode=ONE_CPU, schedulingPolicy={"gang": "Native"})


def waits_whole(kube, job):
    """The scheduler has looked at every pod of the job and bound none."""
    pods = kube.pods(job)
    seen = [condition(p["status"], "PodScheduled").get("reason") == "Unschedulable" for p in pods]
    return len(pods) == 2 and all(seen) and not scheduled(pods)


def test_a_gang_that_does_not_fit_leaves_the_room_to_the_others(kube, operator, kubelet, room_for_three):
    kube.apply(gang("first"))
    kube.wait_phase("first", "Running")
    kube.apply(gang("second"))
    kube.wait("both pods of the second job to wait", lambda: waits_whole(kube, "second"))
    status = kube.wait_phase("second", "Pending")
    assert condition(status, "GangScheduled")["status"] == "True"
    kube.apply(training_job("single", numNodes=1, resourcesPerNode=ONE_CPU))
    kube.wait_phase("single", "Running")  # the third place was free all the time
    for pod in ("first-0", "first-1", "single-0"):
        kubelet.exit(pod, 0)
    kube.wait_phase("first", "Succeeded")
    kube.wait_phase("second", "Running")


def test_a_restart_keeps_the_pod_group(kube, operator, kubelet, room_for_three):
    kube.apply(gang("again"))
    kube.wait_phase("again", "Running")
    group = kube.get("podgroups.scheduling.k8s.io", "again")
    assert group["spec"]["schedulingPolicy"] == {"gang": {"minCount": 2}}
    kubelet.exit("again-1", 1)
    kube.wait("the second attempt", lambda: kube.status("again").get("attempt") == 2)
    kube.wait_phase("again", "Running")
    assert kube.get("podgroups.scheduling.k8s.io", "again")["metadata"]["uid"] == group["metadata"]["uid"]


def test_the_scheduler_says_which_taint_keeps_a_job_waiting(nodes, kube, operator, kubelet):
    taint = {"key": "dedicated", "value": "training", "effect": "NoSchedule"}
    nodes.add("tainted", cpus=4, taints=[taint])
    kube.apply(training_job("kept-out", numNodes=1))
    status = kube.wait("the scheduler's words", lambda: (
        lambda s: s if "taint" in condition(s, "Running").get("message", "") else None)(kube.status("kept-out")))
    assert condition(status, "Running")["reason"] == "Unschedulable" and status["phase"] == "Pending"
    tolerating = {"spec": {"tolerations": [{**taint, "operator": "Equal"}]}}
    kube.apply(training_job("let-in", numNodes=1, template=tolerating))
    kube.wait_phase("let-in", "Running")
    nodes.remove("tainted")


def test_a_job_larger_than_the_quota_leaves_nothing_behind_and_starts_when_there_is_room(nodes, kube, operator, kubelet):
    nodes.add("roomy", cpus=8)
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "2"}}}
    kube.apply(quota)
    kube.wait("the quota to be counted", lambda: kube.get("resourcequota", "few").get("status", {}).get("hard"))
    kube.apply(training_job("wide", numNodes=3))
    status = kube.wait("the refusal", lambda: (
        lambda s: s if condition(s, "PodsCreated").get("reason") == "CreateRefused" else None)(kube.status("wide")))
    assert "exceeded quota: few" in condition(status, "PodsCreated")["message"]
    kube.wait("the pods that were made to go", lambda: not kube.pods("wide"))
    patch = json.dumps({"spec": {"hard": {"pods": "3"}}})
    kube.kubectl("patch", "resourcequota", "few", "--type=merge", "-p", patch)
    status = kube.wait_phase("wide", "Running")
    assert status["restarts"].get("failures", 0) == 0
    nodes.remove("roomy")


def test_every_right_on_pod_groups_is_used_and_none_is_missing(kube, operator, kubelet, room_for_three):
    kube.apply({"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": "whole"},
                "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}})
    kube.apply(gang("whole"))
    kube.wait("the PodGroup to be seen as another's",
              lambda: "PodGroup whole" in condition(kube.status("whole"), "NameConflict").get("message", ""))
    kube.kubectl("delete", "podgroups.scheduling.k8s.io", "whole")
    kube.wait_phase("whole", "Running")
    rights = Rights(kube)
    assert rights.refused() == set() and rights.unused("scheduling.k8s.io") == set()
