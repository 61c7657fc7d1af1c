"""Known failures of training operators: how nodes are made, lost and restarted. docs/reliability.md lists the cases."""
import json

import pytest

from kube import ROOT, condition, training_job
from kubelet import container, now

GOLDEN = ROOT / "tests" / "operator" / "plan" / "golden"
pytestmark = pytest.mark.usefixtures("operator_everywhere")


@pytest.fixture
def kube(api_namespace):
    return api_namespace


def environment(pod, container_name="trainer"):
    spec = pod["spec"]
    found = next(c for c in spec["containers"] + spec.get("initContainers", []) if c["name"] == container_name)
    return {e["name"]: e.get("value") for e in found["env"]}


def names(objects):
    return [each["metadata"]["name"] for each in objects]


def uids(pods):
    return {pod["metadata"]["uid"] for pod in pods.values()}


def is_part_of(expected, seen):
    """Whether `seen` holds all of `expected`; lists of named things are compared by name."""
    if isinstance(expected, dict):
        return all(key in seen and is_part_of(value, seen[key]) for key, value in expected.items())
    if isinstance(expected, list):
        return all(any(is_part_of(each, other) for other in seen) for each in expected)
    return str(expected) == str(seen)


def test_t01_a_node_is_found_before_it_is_ready(kube, kubelet):
    kube.apply(training_job("early", numNodes=2))
    kubelet.gang("early", 2)
    kubelet.bind("early-0")
    kubelet.write("early-0", "Pending", {"waiting": {"reason": "ContainerCreating"}},
                  podIP="192.0.2.1", podIPs=[{"ip": "192.0.2.1"}])
    slices = lambda: kube.get("endpointslices", selector="kubernetes.io/service-name=early")  # noqa: E731
    endpoint = kube.wait("the name of node 0", lambda: next((e for s in slices() for e in s["endpoints"] or []), None))
    assert endpoint["hostname"] == "early-0" and endpoint["addresses"] == ["192.0.2.1"]
    assert endpoint["conditions"]["ready"] is True


def test_t02_a_node_needs_no_image_but_the_trainers(kube, kubelet):
    kube.apply(training_job("lean"))
    spec = kubelet.gang("lean")["lean-0"]["spec"]
    assert [c["image"] for c in spec["containers"] + spec.get("initContainers", [])] == ["lockstep/trainer:test"]


def test_t03_the_api_server_keeps_every_field_of_the_reference_pod(kube, kubelet):
    kube.apply(training_job(
        "fashion", numNodes=2, resourcesPerNode={"limits": {"nvidia.com/gpu": 8}},
        config={"model": {"name": "mlp"}, "note": "costs $5 or $(HOME)"},
        mounts=[{"claimName": "fashion-data", "path": "/data", "readOnly": True}], checkpoints={"claimName": "ckpt"}))
    pod = kubelet.gang("fashion", 2)["fashion-1"]
    job = kube.job("fashion")
    text = (GOLDEN / "our_image.json").read_text()
    text = text.replace('"ml"', f'"{kube.namespace}"').replace(".ml.svc", f".{kube.namespace}.svc")
    expected = json.loads(text.replace('"job-uid"', f'"{job["metadata"]["uid"]}"').replace("trainer:1", "trainer:test"))
    expected["metadata"]["labels"]["lockstep.dev/attempt"] = "1"
    next(e for e in expected["spec"]["containers"][0]["env"] if e["name"] == "LOCKSTEP_ATTEMPT")["value"] = "1"
    assert is_part_of(expected, pod)


def test_t04_when_a_job_has_failed_its_other_nodes_give_their_machines_back(kube, kubelet):
    kube.apply(training_job("costly", numNodes=3, runPolicy={"backoffLimit": 0}))
    kubelet.run("costly", 3)
    kubelet.exit("costly-1", 1)
    kube.wait_phase("costly", "Failed", seconds=10)
    left = kube.wait("the running nodes to go", lambda: len(kube.pods("costly")) == 1 and kube.pods("costly"), seconds=10)
    assert left[0]["metadata"]["name"] == "costly-1", "the log of the node that failed stays"


def test_t05_one_deleted_node_restarts_all(kube, kubelet):
    kube.apply(training_job("whole", numNodes=3))
    before = kubelet.run("whole", 3)
    kube.kubectl("delete", "pod", "whole-2", "--wait=false")
    after = kubelet.gang("whole", 3, attempt=2)
    assert not uids(before) & uids(after)
    assert {environment(pod)["LOCKSTEP_ATTEMPT"] for pod in after.values()} == {"2"}
    assert kube.status("whole")["restarts"] == {"failures": 0, "disruptions": 1, "consecutive": 1}


def test_t06_many_deaths_are_one_restart_and_wait_for_the_last_old_node(kube, kubelet):
    kube.apply(training_job("fenced", numNodes=3))
    kubelet.run("fenced", 3)
    kubelet.hold("fenced-2")
    for pod in ("fenced-0", "fenced-1"):
        kubelet.exit(pod, 1)
    kube.wait("only the held pod", lambda: names(kube.pods("fenced")) == ["fenced-2"], seconds=20)
    status = kube.status("fenced")
    assert status["attempt"] == 2 and condition(status, "PodsCreated")["reason"] == "WaitingForOldPods"
    kubelet.release("fenced-2")
    kubelet.run("fenced", 3, attempt=2)
    assert kube.status("fenced")["restarts"]["failures"] == 1


def test_t07_the_shutdown_of_a_machine_costs_no_budget(kube, kubelet):
    kube.apply(training_job("dusk", numNodes=2, runPolicy={"backoffLimit": 0}))
    kubelet.run("dusk", 2)
    kubelet.shut_down("dusk-1")
    kubelet.run("dusk", 2, attempt=2)
    status = kube.status("dusk")
    assert status["restarts"]["failures"] == 0 and status["restarts"]["disruptions"] == 1
    assert "imminent node shutdown" in status["lastFailure"]["message"]


def test_t08_a_node_on_a_dead_machine_is_forced_out_and_its_machine_named(kube, kubelet):
    kube.apply(training_job("dead", numNodes=2, runPolicy={"podTerminationTimeoutSeconds": 1},
                            template={"spec": {"terminationGracePeriodSeconds": 1}}))
    kubelet.run("dead", 2)
    kubelet.lose_machine("dead-1")
    kubelet.gang("dead", 2, attempt=2)
    assert kube.status("dead")["lastFailure"]["node"] == kubelet.machine("dead-1")
    forced = [e["message"] for e in kube.events("dead") if e["reason"] == "ForcedDeletion"]
    assert forced == [f"pod dead-1 did not end on node {kubelet.machine('dead-1')}: it is deleted without waiting"]


def test_t08_a_finished_job_lets_go_of_a_dead_machine_too(kube, kubelet):
    kube.apply(training_job("over", numNodes=2, runPolicy={"backoffLimit": 0, "podTerminationTimeoutSeconds": 1},
                            template={"spec": {"terminationGracePeriodSeconds": 1}}))
    kubelet.run("over", 2)
    kubelet.hold("over-0")
    kubelet.exit("over-1", 1)
    kube.wait_phase("over", "Failed", seconds=10)
    kube.wait("the dead pod to go", lambda: len(kube.pods("over")) == 1, seconds=15)


def test_t09_a_node_that_is_being_deleted_is_lost_at_once(kube, kubelet):
    kube.apply(training_job("going", numNodes=2))
    kubelet.run("going", 2)
    kubelet.hold("going-1")
    kube.kubectl("delete", "pod", "going-1", "--wait=false")
    kube.wait("the restart", lambda: kube.status("going")["attempt"] == 2, seconds=10)
    assert kube.get("pod", "going-1"), "it was decided before the pod had ended"
    assert kube.status("going")["attemptCause"] == "Disruption"
    kubelet.release("going-1")


def test_t10_a_failed_container_is_enough(kube, kubelet):
    """Its pod still counts as running, for a side-car takes its time, and the other node runs on."""
    kube.apply(training_job("prompt", numNodes=2, template={"spec": {"containers": [{"name": "log", "image": "x"}]}}))
    kubelet.run("prompt", 2)
    kubelet.exit("prompt-1", 1, pod_phase="Running", side_cars=[container("log", {"running": {"startedAt": now()}})])
    kube.wait("the restart", lambda: kube.status("prompt")["attempt"] == 2, seconds=10)


@pytest.mark.parametrize("rank", [-1, 262144])
def test_t30_last_words_that_make_no_sense_stop_no_job(kube, kubelet, rank):
    kube.apply(training_job("absurd", numNodes=2))
    kubelet.run("absurd", 2)
    kubelet.exit("absurd-1", 1, message=json.dumps({"rank": rank, "exitCode": 1, "reason": "boom"}))
    kubelet.gang("absurd", 2, attempt=2)


def test_t11_a_job_that_ends_by_eviction_ends_as_any_other(kube, kubelet):
    kube.apply(training_job("evicted", numNodes=2, runPolicy={"disruptionLimit": 0, "ttlSecondsAfterFinished": 8}))
    kubelet.run("evicted", 2)
    kubelet.evict("evicted-1")
    status = kube.wait_phase("evicted", "Failed", seconds=10)
    assert status["completionTime"] and condition(status, "Failed")["reason"] == "DisruptionLimitExceeded"
    kube.wait("the running node to go", lambda: names(kube.pods("evicted")) == ["evicted-1"], seconds=10)
    kube.wait("the job to expire", lambda: kube.job("evicted") is None, seconds=15)


def test_t12_nodes_and_processes_are_counted_apart(kube, kubelet):
    kube.apply(training_job("pairs", numNodes=2, procPerNode=2), training_job("singles", numNodes=2, procPerNode=1))
    for node, pod in enumerate(kubelet.gang("pairs", 2).values()):
        seen = environment(pod)
        expected = {"NNODES": "2", "NODE_RANK": str(node), "NPROC_PER_NODE": "2", "WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2",
                    "LOCKSTEP_RANK_OFFSET": str(2 * node)}
        assert {name: seen[name] for name in expected} == expected and "RANK" not in seen
    assert [environment(pod)["RANK"] for pod in kubelet.gang("singles", 2).values()] == ["0", "1"]


def test_t13_pods_that_only_help_are_not_counted(kube, kubelet):
    helping = {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": "helped-board", "labels": {"lockstep.dev/job-name": "helped"}},
               "spec": {"containers": [{"name": "c", "image": "x"}]}}
    kube.apply(helping, training_job("helped", numNodes=2, procPerNode=3, template={
        "spec": {"containers": [{"name": "log", "image": "x", "resources": {"limits": {"nvidia.com/gpu": 1}}}],
                 "initContainers": [{"name": "fetch", "image": "x"}]}}))
    pods = kubelet.run("helped", 2)
    assert {environment(pod, name)["WORLD_SIZE"] for pod in pods.values() for name in ("trainer", "log", "fetch")} == {"6"}
    assert kube.status("helped")["nodes"]["desired"] == 2 and kube.status("helped")["worldSize"] == 6


def test_t14_processes_are_counted_in_the_pod_as_it_is_in_the_end(kube, kubelet):
    """The template asks for the cards, the shorthand only for memory."""
    kube.apply(training_job("cards", resourcesPerNode={"limits": {"memory": "1Gi"}}, template={"spec": {"containers": [
        {"name": "trainer", "resources": {"limits": {"nvidia.com/gpu": 4}}}]}}))
    pod = kubelet.gang("cards")["cards-0"]
    assert pod["spec"]["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": "4", "memory": "1Gi"}
    assert environment(pod)["NPROC_PER_NODE"] == "4"


def test_t15_cards_of_every_vendor_count_and_an_explicit_number_wins(kube, kubelet):
    cards = ["nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "amd.com/gpu", "gpu.intel.com/i915", "habana.ai/gaudi",
             "huawei.com/Ascend910", "google.com/tpu"]
    jobs = [training_job(f"card-{i}", resourcesPerNode={"limits": {card: 3}}) for i, card in enumerate(cards)]
    kube.apply(*jobs, training_job("told", procPerNode=2, resourcesPerNode={"limits": {"nvidia.com/gpu": 3}}))
    for i, card in enumerate(cards):
        assert environment(kubelet.gang(f"card-{i}")[f"card-{i}-0"])["NPROC_PER_NODE"] == "3", card
    assert environment(kubelet.gang("told")["told-0"])["NPROC_PER_NODE"] == "2"


def test_t16_on_the_host_network_each_attempt_has_a_port_of_its_own(kube, kubelet):
    """Outside the ephemeral range, the same wherever it is said, and the user's own where one is given."""
    host = {"spec": {"hostNetwork": True}}
    kube.apply(training_job("hosted", numNodes=2, template=host), training_job("chosen", masterPort=31000, template=host))

    def port_of(pods, job):
        [port] = {environment(pod)["MASTER_PORT"] for pod in pods.values()}
        [declared] = pods[f"{job}-0"]["spec"]["containers"][0]["ports"]
        assert declared["containerPort"] == declared["hostPort"] == int(port)
        return int(port)

    assert port_of(kubelet.gang("chosen"), "chosen") == 31000
    first = port_of(kubelet.run("hosted", 2), "hosted")
    kubelet.evict("hosted-1")
    again = kubelet.gang("hosted", 2, attempt=2)
    assert "ports" not in again["hosted-1"]["spec"]["containers"][0], "only node 0 needs the port"
    assert again["hosted-1"]["spec"]["dnsPolicy"] == "ClusterFirstWithHostNet", "it has to find node 0 by name"
    assert 20000 <= first < 30000 and 20000 <= port_of(again, "hosted") < 30000 and port_of(again, "hosted") != first


def test_t17_the_longest_name_that_is_taken_can_be_created(kube, kubelet):
    """A pod's name has 63 characters at most, with the number of the last node."""
    kube.apply(training_job("a" * 61, numNodes=2))
    kubelet.gang("a" * 61, 2)
    assert kube.get("service", "a" * 61)
    for name, nodes in (("b" * 62, 2), ("b" * 61, 11), ("1st", 1), ("with.dots", 1)):
        assert kube.apply(training_job(name, numNodes=nodes), check=False).returncode != 0, name


def test_t18_one_node_is_a_job_and_no_node_is_not(kube, kubelet):
    kube.apply(training_job("single", numNodes=1))
    kubelet.run("single")
    kubelet.exit("single-0", 0)
    assert kube.wait_phase("single", "Succeeded", seconds=10)["nodes"]["desired"] == 1
    assert kube.apply(training_job("none", numNodes=0), check=False).returncode != 0


def test_t25_a_job_succeeds_when_all_nodes_did_or_the_first_when_asked(kube, kubelet):
    policy = {"successPolicy": "FirstNode", "successGraceSeconds": 1}
    kube.apply(training_job("all", numNodes=2), training_job("first", numNodes=2, runPolicy=policy))
    for job in ("all", "first"):
        kubelet.run(job, 2)
        kubelet.exit(f"{job}-0", 0)
    kube.wait_phase("first", "Succeeded", seconds=10)
    kube.wait("the straggler to go", lambda: names(kube.pods("first")) == ["first-0"], seconds=10)
    status = kube.status("all")
    assert status["phase"] == "Running" and status["nodes"]["succeeded"] == 1 and len(kube.pods("all")) == 2
    kubelet.exit("all-1", 0)
    kube.wait_phase("all", "Succeeded", seconds=10)


def test_t28_a_killed_program_is_judged_by_why_it_was_killed(kube, kubelet):
    """The signal of a deletion is a disruption; a program that outgrew its memory failed."""
    kube.apply(training_job("asked", numNodes=2), training_job("grown", numNodes=2))
    kubelet.run("asked", 2)
    kubelet.hold("asked-1")
    kube.kubectl("delete", "pod", "asked-1", "--wait=false")
    kubelet.exit("asked-1", 137)
    kubelet.release("asked-1")
    kubelet.run("grown", 2)
    kubelet.exit("grown-1", 137, "OOMKilled")
    kubelet.gang("asked", 2, attempt=2)
    kubelet.gang("grown", 2, attempt=2)
    assert kube.status("asked")["restarts"] == {"failures": 0, "disruptions": 1, "consecutive": 1}
    assert kube.status("grown")["restarts"] == {"failures": 1, "disruptions": 0, "consecutive": 1}
    assert kube.status("grown")["lastFailure"]["reason"] == "OOMKilled"


def test_t33_an_image_that_cannot_be_pulled_is_named_and_waited_for_only_so_long(kube, kubelet):
    kube.apply(training_job("imageless", numNodes=2, image="example/typo:1", runPolicy={"startupDeadlineSeconds": 4}))
    kubelet.gang("imageless", 2)
    kubelet.start("imageless-0")
    kubelet.wait_for_image("imageless-1", "example/typo:1")
    waits = lambda: condition(kube.status("imageless"), "Running")  # noqa: E731
    waiting = kube.wait("the image in a condition", lambda: "example/typo:1" in waits()["message"] and waits(), seconds=3)
    assert waiting["reason"] == "ImagePullBackOff" and "imageless-1" in waiting["message"]
    failed = condition(kube.wait_phase("imageless", "Failed", seconds=10), "Failed")
    assert failed["reason"] == "StartupDeadlineExceeded" and "example/typo:1" in failed["message"]
    kube.wait("the pods to go", lambda: not kube.pods("imageless"), seconds=10)


def test_t34_a_job_runs_only_when_all_its_nodes_run(kube, kubelet):
    kube.apply(training_job("partial", numNodes=2))
    kubelet.gang("partial", 2)
    kubelet.start("partial-0")
    status = kube.wait("one ready node", lambda: (lambda s: s["nodes"]["ready"] == 1 and s)(kube.status("partial")), seconds=10)
    assert status["phase"] == "Pending" and condition(status, "Running")["status"] == "False"
    kubelet.start("partial-1")
    kube.wait_phase("partial", "Running", seconds=10)


def test_t49_only_the_trainer_container_ends_a_node(kube, kubelet):
    """A side-car that fails does not end the node; one that never ends does not keep it."""
    kube.apply(training_job("meshed", numNodes=2, template={"spec": {"containers": [{"name": "proxy", "image": "x"}]}}))
    kubelet.run("meshed", 2)
    failed = container("proxy", {"terminated": {"exitCode": 3, "finishedAt": now()}}, is_ready=False)
    kubelet.write("meshed-0", "Running", {"running": {"startedAt": now()}}, side_cars=[failed])
    kubelet.exit("meshed-0", 0, pod_phase="Running", side_cars=[failed])
    kubelet.exit("meshed-1", 0, pod_phase="Running", side_cars=[container("proxy", {"running": {"startedAt": now()}})])
    assert kube.wait_phase("meshed", "Succeeded", seconds=10)["attempt"] == 1


def test_t49_a_native_side_car_that_crashes_ends_no_node(kube, kubelet):
    kube.apply(training_job("native", numNodes=2, template={
        "spec": {"initContainers": [{"name": "proxy", "image": "x", "restartPolicy": "Always"}]}}))
    kubelet.run("native", 2)
    crashed = container("proxy", {"terminated": {"exitCode": 1, "reason": "Error", "finishedAt": now()}}, is_ready=False)
    kubelet.write("native-1", "Running", {"running": {"startedAt": now()}}, initContainerStatuses=[crashed])
    kube.apply(training_job("probe"))
    kube.wait("the pod of the probe", lambda: kube.pods("probe"), seconds=10)
    assert kube.status("native")["attempt"] == 1
