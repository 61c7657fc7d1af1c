"""Known failures of training operators: PodGroups, without their schedulers. docs/reliability.md lists the cases."""
from contextlib import contextmanager

import pytest

from kube import condition, training_job
from operator_process import Operator

KINDS = {"Volcano": ("scheduling.volcano.sh", "v1beta1"), "Coscheduling": ("scheduling.x-k8s.io", "v1alpha1")}


def definition(group, version):
    """A PodGroup that takes any spec."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": anything, "status": anything}}
    served = {"name": version, "served": True, "storage": True, "subresources": {"status": {}},
              "schema": {"openAPIV3Schema": schema}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"podgroups.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "podgroups", "kind": "PodGroup"},
                     "versions": [served]}}


@contextmanager
def definitions(api_server, *gangs):
    """Makes the API server serve the PodGroups of these schedulers."""
    made = [definition(*KINDS[gang]) for gang in gangs]
    # The API server wants to be told so of a group that ends in k8s.io.
    for each in made:
        each["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, for tests"}
    api_server.apply(*made)
    for gang in gangs:
        listed = lambda g=KINDS[gang][0]: api_server.kubectl("get", f"podgroups.{g}", check=False)  # noqa: E731
        api_server.wait(f"the PodGroups of {gang} to be served", lambda: listed().returncode == 0)
    yield
    api_server.kubectl("delete", "crd", *(each["metadata"]["name"] for each in made))


@pytest.fixture(scope="module", autouse=True)
def operator(api_server):
    """An operator that finds both kinds of PodGroup when it starts."""
    with definitions(api_server, *KINDS):
        running = Operator(f"--kubeconfig={api_server.kubeconfig}")
        yield running
        assert running.stop() == 0, running.text()


@pytest.fixture
def kube(api_namespace):
    return api_namespace


@pytest.fixture(params=KINDS)
def gang(request):
    return request.param


def pod_group(kube, gang, name):
    return kube.get(f"podgroups.{KINDS[gang][0]}", name)


def test_t35_the_pod_group_is_kept_across_restarts(kube, kubelet, gang):
    kube.apply(training_job("kept", numNodes=3, schedulingPolicy={"gang": gang}))
    kubelet.run("kept", 3)
    before = pod_group(kube, gang, "kept")
    assert before["spec"]["minMember"] == 3
    kubelet.evict("kept-1")
    kubelet.run("kept", 3, attempt=2)
    after = pod_group(kube, gang, "kept")
    assert after["metadata"]["uid"] == before["metadata"]["uid"] and after["spec"] == before["spec"]


def test_t36_pods_do_not_wait_for_a_pod_group_that_says_nothing(kube, kubelet, gang):
    kube.apply(training_job("asking", numNodes=2, schedulingPolicy={"gang": gang}))
    pods = kubelet.gang("asking", 2)
    assert "status" not in pod_group(kube, gang, "asking")
    for pod in pods.values():
        joined = {**pod["metadata"]["labels"], **pod["metadata"].get("annotations", {})}
        assert "asking" in (joined.get("scheduling.k8s.io/group-name"), joined.get("scheduling.x-k8s.io/pod-group"))
    assert condition(kube.status("asking"), "GangScheduled")["status"] == "True"
    assert pod_group(kube, gang, "asking")["metadata"]["creationTimestamp"] <= pods["asking-0"]["metadata"]["creationTimestamp"]
