"""Jobs in a Kueue queue on a real API server and scheduler, under the rights that the chart gives."""
import pytest

import kueues
from kube import condition, training_job
from made_up_nodes import MadeUpNodes, scheduled
from operator_process import Operator
from rights import Rights, kubeconfig_of_the_chart


@pytest.fixture(scope="module")
def nodes():
    with MadeUpNodes("kueue") as made_up:
        made_up.add("reserved", cpus=8)
        made_up.add("spot", cpus=8, labels={"machine": "spot"},
                    taints=[{"key": "spot", "effect": "NoSchedule"}])
        yield made_up


@pytest.fixture
def kube(nodes):
    with nodes.namespace() as inside:
        yield inside


@pytest.fixture(scope="module")
def served(nodes, tmp_path_factory):
    running = kueues.start(nodes.kube, tmp_path_factory.mktemp("kueue"))
    yield running
    running.stop()


@pytest.fixture
def operator(kube, served, tmp_path):
    served.open_queue(kube)
    rights = kubeconfig_of_the_chart(kube, tmp_path, "kueue.enabled=true")
    running = Operator(f"--kubeconfig={rights}", f"--namespace={kube.namespace}", integrations="kueue")
    yield running
    assert running.stop() == 0, running.text()
    assert "forbidden" not in running.text(), running.text()


def queued(name, **spec):
    job = training_job(name, numNodes=2, resourcesPerNode={"requests": {"cpu": "1"}}, **spec)
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "vision"}
    return job


def urgent(job):
    job["metadata"]["labels"]["kueue.x-k8s.io/priority-class"] = "urgent"
    return job


def workload(kube, name):
    return kube.get("workloads.kueue.x-k8s.io", name) or {}


def finish(kube, kubelet, name):
    for pod in kube.pods(name):
        kubelet.exit(pod["metadata"]["name"], 0)
    kube.wait_phase(name, "Succeeded")
    finished = lambda: condition(workload(kube, name).get("status", {}), "Finished")  # noqa: E731
    assert kube.wait("its Workload to be finished", finished)["reason"] == "Succeeded"


def test_a_job_is_admitted_preempted_and_resumed(kube, operator, kubelet):
    kube.apply(queued("patient"))
    kube.wait_phase("patient", "Running")
    pods = kube.pods("patient")
    assert {p["spec"]["nodeName"] for p in pods} == {"spot"}, "the flavor says where"
    assert not any("kueue.x-k8s.io/queue-name" in p["metadata"]["labels"] for p in pods)
    ready = lambda: condition(workload(kube, "patient")["status"], "PodsReady").get("status") == "True"  # noqa: E731
    kube.wait("Kueue to hear that the pods run", ready)
    assert kube.status("patient")["display"]["queue"] == "vision"

    kube.apply(urgent(queued("hurried")))
    kube.wait_phase("hurried", "Running")
    status = kube.wait_phase("patient", "Suspended")
    assert not kube.pods("patient")
    assert condition(status, "Suspended")["reason"] in ("Evicted", "WaitingForQuota")
    assert condition(workload(kube, "patient")["status"], "Requeued")["status"] == "True"
    assert kube.job("patient")["spec"].get("runPolicy", {}).get("suspend") is not True, "that is the user's field"

    finish(kube, kubelet, "hurried")
    status = kube.wait_phase("patient", "Running")
    assert status["attempt"] == 2 and status["restarts"].get("failures", 0) == 0
    assert len(scheduled(kube.pods("patient"))) == 2
    finish(kube, kubelet, "patient")


def test_a_suspended_job_gives_its_quota_to_others_and_gets_it_back(kube, operator, kubelet):
    kube.apply(queued("paused"))
    kube.wait_phase("paused", "Running")
    kube.apply(queued("paused", runPolicy={"suspend": True}))
    kube.wait_phase("paused", "Suspended")
    kube.apply(queued("other"))
    kube.wait_phase("other", "Running")
    kube.apply(queued("paused", runPolicy={"suspend": False}))
    waiting = lambda: condition(kube.status("paused"), "Suspended").get("reason") == "WaitingForQuota"  # noqa: E731
    kube.wait("the job to queue again", waiting)
    finish(kube, kubelet, "other")
    kube.wait_phase("paused", "Running")
    finish(kube, kubelet, "paused")


def test_a_restart_stays_in_its_quota(kube, operator, kubelet):
    kube.apply(queued("again"))
    kube.wait_phase("again", "Running")
    admitted = condition(workload(kube, "again")["status"], "Admitted")
    kubelet.exit("again-1", 1)
    kube.wait("the second attempt", lambda: kube.status("again").get("attempt") == 2)
    kube.wait_phase("again", "Running")
    assert condition(workload(kube, "again")["status"], "Admitted") == admitted
    recovered = lambda: condition(workload(kube, "again")["status"], "PodsReady").get("reason") == "Recovered"  # noqa: E731
    kube.wait("Kueue to hear of it", recovered)
    finish(kube, kubelet, "again")


def test_every_right_on_queues_is_used_and_none_is_missing(kube, operator, kubelet):
    kube.apply({"apiVersion": kueues.API, "kind": "Workload", "metadata": {"name": "whole"}, "spec": {"podSets": [
        {"name": "main", "count": 1, "template": {"spec": {"containers": [{"name": "idle", "image": "idle"}]}}}]}})
    kube.apply({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "modest"}, "value": 1})
    kube.apply(queued("whole", template={"spec": {"priorityClassName": "modest"}}))
    kube.wait("the Workload to be seen as another's",
              lambda: "another owner" in condition(kube.status("whole"), "Suspended").get("message", ""))
    kube.kubectl("delete", "workloads.kueue.x-k8s.io", "whole")
    kube.wait_phase("whole", "Running")
    kube.kubectl("patch", "tj", "whole", "--type=merge", "-p", '{"spec":{"runPolicy":{"suspend":true}}}')
    kube.wait_phase("whole", "Suspended")
    kube.apply(urgent(queued("hurried")))
    kube.wait_phase("hurried", "Running")
    finish(kube, kubelet, "hurried")
    rights = Rights(kube)
    assert rights.refused() == set()
    assert rights.unused("kueue.x-k8s.io") | rights.unused("kueue.x-k8s.io", "clusterrole/lockstep-operator-kueue") == set()
    assert rights.unused("scheduling.k8s.io", "clusterrole/lockstep-operator-kueue") == set()
