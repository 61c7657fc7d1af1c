"""Known failures of training operators: how jobs wait, pause and end. docs/reliability.md lists the cases."""
import datetime
import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import drop_namespace, fresh_namespace
from kube import BIN, condition, training_job

pytestmark = pytest.mark.usefixtures("operator_everywhere")


@pytest.fixture
def kube(api_namespace):
    return api_namespace


def names(objects):
    return [each["metadata"]["name"] for each in objects]


def set_policy(kube, job, **policy):
    kube.kubectl("patch", "tj", job, "--type=merge", "-p", json.dumps({"spec": {"runPolicy": policy}}))


def reconciled(kube):
    """Waits until the operator has come round to a job that was made just now: earlier news was looked at by then."""
    kube.apply(training_job("probe"))
    kube.wait("the pod of the probe", lambda: kube.pods("probe"), seconds=10)
    kube.kubectl("delete", "tj", "probe", "--wait=false")


def with_quota(kube, pods):
    """Bounds the pods of the namespace, and waits until the API server enforces it."""
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": str(pods)}}}
    kube.apply(quota)
    kube.wait("the quota to hold", lambda: kube.get("resourcequota", "few")["status"].get("hard") == {"pods": str(pods)})


@pytest.fixture(scope="module", autouse=True)
def held_up(api_server, operator_everywhere):
    """Jobs that a quota refused are tried again within a minute: these wait while the tests between run."""
    spaces = [fresh_namespace(api_server, "quota", level="privileged") for _ in range(2)]
    for kube, pods in zip(spaces, (1, 2)):
        kube.wait("its service account", lambda k=kube: k.get("serviceaccount", "default"))
        with_quota(kube, pods)
    alone, shared = spaces
    alone.apply(training_job("poor", numNodes=2))
    shared.apply(training_job("left", numNodes=2), training_job("right", numNodes=2))
    yield alone, shared
    for kube in spaces:
        drop_namespace(kube)


def test_t31_a_refused_node_is_said_in_the_api_servers_words(held_up):
    alone, _ = held_up
    created = lambda: condition(alone.status("poor"), "PodsCreated")  # noqa: E731
    refused = alone.wait("the refusal", lambda: created().get("reason") == "CreateRefused" and created(), seconds=20)
    assert refused["status"] == "False" and "exceeded quota: few" in refused["message"]
    alone.wait("what was made to be given back", lambda: not alone.pods("poor"), seconds=10)
    with_quota(alone, 2)  # the last test of this file sees it recover


def test_t31_a_missing_service_account_is_said_as_well(kube):
    kube.apply(training_job("nobody", template={"spec": {"serviceAccountName": "nobody"}}))
    created = lambda: condition(kube.status("nobody"), "PodsCreated")  # noqa: E731
    refused = kube.wait("the refusal", lambda: created().get("reason") == "CreateRefused" and created(), seconds=20)
    assert 'service account' in refused["message"] and "nobody" in refused["message"]


def test_t31_a_node_that_can_never_be_valid_ends_the_job_in_the_api_servers_words(kube):
    trainer = {"name": "trainer", "volumeMounts": [{"name": "nowhere", "mountPath": "/data"}]}
    kube.apply(training_job("never", numNodes=2, template={"spec": {"containers": [trainer]}}))
    status = kube.wait_phase("never", "Failed", seconds=10)
    failed = condition(status, "Failed")
    assert failed["reason"] == "CreateRefused" and 'volumeMounts[0].name: Not found: "nowhere"' in failed["message"]
    assert status["attempt"] == 1 and not kube.pods("never")


def test_t19_a_job_of_the_same_name_waits_for_the_pods_of_the_one_before(kube, kubelet):
    kube.apply(training_job("again", numNodes=2))
    kubelet.run("again", 2)
    for pod in ("again-0", "again-1"):
        kubelet.hold(pod)
    kube.kubectl("delete", "tj", "again", "--wait=false")
    kube.wait("its pods to be deleted", lambda: all("deletionTimestamp" in p["metadata"] for p in kube.pods("again")), seconds=20)
    kube.apply(training_job("again", numNodes=2))
    conflict = kube.wait("NameConflict", lambda: condition(kube.status("again"), "NameConflict"), seconds=10)
    assert "again" in conflict["message"]
    for pod in ("again-0", "again-1"):
        kubelet.release(pod)
    pods = kubelet.run("again", 2)
    assert {p["metadata"]["ownerReferences"][0]["uid"] for p in pods.values()} == {kube.job("again")["metadata"]["uid"]}
    assert not condition(kube.status("again"), "NameConflict")


@pytest.mark.parametrize("kind", ["Pod", "Service"])
def test_t20_what_has_our_name_and_another_owner_is_never_touched(kube, kubelet, kind):
    """It even carries our labels; a failed pod like that is no failure of ours."""
    labels = {"lockstep.dev/job-name": "taken", "lockstep.dev/attempt": "1", "lockstep.dev/node-rank": "0"}
    spec = {"Pod": {"containers": [{"name": "trainer", "image": "x"}]}, "Service": {"ports": [{"port": 1}]}}[kind]
    name = "taken-0" if kind == "Pod" else "taken"
    kube.apply({"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "labels": labels}, "spec": spec})
    uid = kube.get(kind, name)["metadata"]["uid"]
    if kind == "Pod":
        kubelet.bind(name)
        kubelet.exit(name, 1)
    kube.apply(training_job("taken"))
    conflict = kube.wait("NameConflict", lambda: condition(kube.status("taken"), "NameConflict"), seconds=10)
    assert f"{kind} {name}" in conflict["message"]
    reconciled(kube)
    status = kube.status("taken")
    assert status["phase"] == "Pending" and status["attempt"] == 1 and kube.get(kind, name)["metadata"]["uid"] == uid
    kube.kubectl("delete", kind, name)
    kube.wait("a pod of its own", lambda: any(p["metadata"].get("ownerReferences") for p in kube.pods("taken")), seconds=20)


ENDINGS = {  # reason: (runPolicy, the exit codes of the first nodes of two)
    "AllNodesSucceeded": ({}, (0, 0)),
    "FirstNodeSucceeded": ({"successPolicy": "FirstNode", "successGraceSeconds": 0}, (0,)),
    "BackoffLimitExceeded": ({"backoffLimit": 0}, (1,)),
    "DisruptionLimitExceeded": ({"disruptionLimit": 0}, ("evicted",)),
    "PermanentFailure": ({}, (64,)),
    "FailureRule": ({"failureRules": [{"exitCodes": [3], "action": "Fail"}]}, (3,)),
    "DeadlineExceeded": ({"activeDeadlineSeconds": 3}, ()),
    "StartupDeadlineExceeded": ({"startupDeadlineSeconds": 1}, None),
}


def test_t21_a_job_expires_however_it_ended(kube, kubelet):
    for reason, (policy, ends) in ENDINGS.items():
        job = reason.lower()
        kube.apply(training_job(job, numNodes=2, runPolicy={**policy, "ttlSecondsAfterFinished": 1}))
        if ends is None:
            continue
        kubelet.run(job, 2)
        for rank, end in enumerate(ends):
            kubelet.evict(f"{job}-{rank}") if end == "evicted" else kubelet.exit(f"{job}-{rank}", end)
    kube.wait("every job to expire", lambda: not kube.get("tj"), seconds=30)
    told = {(e["involvedObject"]["name"], e["reason"]) for e in kube.get("events")}
    assert {(reason.lower(), reason) for reason in ENDINGS} <= told
    kube.wait("their pods to be collected", lambda: not kube.get("pods"), seconds=20)


def test_t23_nothing_is_made_for_a_job_that_has_ended(kube, kubelet):
    kube.apply(training_job("ended", numNodes=2))
    for pod in kubelet.run("ended", 2):
        kubelet.exit(pod, 0)
    kube.wait_phase("ended", "Succeeded", seconds=10)
    kube.kubectl("delete", "pods,services", "--all")
    kube.kubectl("annotate", "tj", "ended", "look=again")
    reconciled(kube)
    assert not kube.pods("ended") and not kube.get("service", "ended")
    assert kube.status("ended")["phase"] == "Succeeded"


@pytest.mark.parametrize("policy, left", [("None", ["kept-0", "kept-1"]), ("Running", ["kept-1"]), ("All", [])])
def test_t24_the_clean_up_policy_holds_when_the_budget_is_spent(kube, kubelet, policy, left):
    kube.apply(training_job("kept", numNodes=2, runPolicy={"backoffLimit": 0, "cleanPodPolicy": policy}))
    kubelet.run("kept", 2)
    kubelet.exit("kept-1", 1)
    kube.wait_phase("kept", "Failed", seconds=10)
    kube.wait(f"{left} alone", lambda: names(kube.pods("kept")) == left, seconds=10)
    reconciled(kube)
    assert names(kube.pods("kept")) == left


def phase_of(conditions):
    """The documented meaning of the conditions, worked out independently."""
    true = {c["type"] for c in conditions if c["status"] == "True"}
    for kind, phase in (("Failed", "Failed"), ("Complete", "Succeeded"), ("Suspended", "Suspended"), ("Running", "Running"),
                        ("Restarting", "Restarting")):
        if kind in true:
            return {phase}
    return {"Pending", "Starting"}


def test_t27_the_phase_follows_from_the_conditions_at_every_moment(kube, kubelet):
    watch = subprocess.Popen([str(BIN / "kubectl"), "--kubeconfig", kube.kubeconfig, "-n", kube.namespace, "get", "tj", "--watch",
                              "-o", "jsonpath={.status}{\"\\n\"}"], stdout=subprocess.PIPE, text=True)
    kube.apply(training_job("moments", numNodes=2))
    kubelet.run("moments", 2)
    kubelet.exit("moments-1", 1)
    kubelet.run("moments", 2, attempt=2)
    set_policy(kube, "moments", suspend=True)
    kube.wait_phase("moments", "Suspended", seconds=10)
    set_policy(kube, "moments", suspend=False)
    kubelet.run("moments", 2, attempt=3)
    kubelet.exit("moments-0", 64)
    kube.wait_phase("moments", "Failed", seconds=10)
    watch.kill()
    seen = [json.loads(line) for line in watch.stdout if line.strip()]
    changed = {}
    for status in seen:
        assert status["phase"] in phase_of(status["conditions"]), status
        for each in status["conditions"]:
            assert each["lastTransitionTime"] >= changed.get(each["type"], ""), status
            changed[each["type"]] = each["lastTransitionTime"]
    assert {"Running", "Restarting", "Suspended", "Failed"} <= {status["phase"] for status in seen}
    last = {c["type"]: c["status"] for c in seen[-1]["conditions"]}
    assert last["Failed"] == "True" and last["Running"] == "False" and not {"Restarting", "Suspended"} & set(last)


def test_t27_an_edit_of_a_finished_job_is_observed(kube, kubelet):
    kube.apply(training_job("finished"))
    kubelet.run("finished")
    kubelet.exit("finished-0", 0)
    kube.wait_phase("finished", "Succeeded", seconds=10)
    kube.kubectl("patch", "tj", "finished", "--type=merge", "-p", '{"spec":{"runPolicy":{"ttlSecondsAfterFinished":600}}}')

    def is_observed():
        job = kube.job("finished")
        return job["status"]["observedGeneration"] == job["metadata"]["generation"]

    kube.wait("the edit to be observed", is_observed, seconds=10)


def test_t29_edits_at_the_same_time_lose_no_status(kube, kubelet, operator_everywhere):
    kube.apply(training_job("edited", numNodes=2))
    kubelet.gang("edited", 2)

    def edit(limit):
        set_policy(kube, "edited", backoffLimit=limit)

    with ThreadPoolExecutor(2) as editors:
        edits = [editors.submit(edit, limit) for limit in range(5, 35)]
        kubelet.start("edited-0", "edited-1")
        kubelet.exit("edited-0", 0)
        for done in edits:
            done.result()
    kubelet.exit("edited-1", 0)
    status = kube.wait_phase("edited", "Succeeded", seconds=10)
    assert status["attempt"] == 1 and status["observedGeneration"] == kube.job("edited")["metadata"]["generation"]
    said = [line for line in operator_everywhere.lines if kube.namespace in line and '"level":"info"' not in line]
    assert not said, "a conflict is no news to an administrator"


def test_t37_a_gang_that_lost_a_node_holds_no_machine_while_it_waits(kube, kubelet):
    kube.apply(training_job("freed", numNodes=3, runPolicy={"restartBackoff": {"initialSeconds": 60}}))
    for attempt in (1, 2):
        kubelet.run("freed", 3, attempt)
        kubelet.evict("freed-2")
    kube.wait("every node to be given back", lambda: kube.status("freed")["attempt"] == 3 and not kube.pods("freed"), seconds=10)
    created = condition(kube.status("freed"), "PodsCreated")
    assert created["reason"] == "WaitingForBackoff" and kube.status("freed")["nextRestartTime"] in created["message"]


def test_t45_a_job_made_suspended_starts_as_any_other_when_resumed(kube, kubelet):
    kube.apply(training_job("asleep", numNodes=2, runPolicy={"suspend": True}))
    status = kube.wait_phase("asleep", "Suspended", seconds=10)
    reconciled(kube)
    assert not kube.pods("asleep") and "startTime" not in status
    set_policy(kube, "asleep", suspend=False)
    pods = kubelet.gang("asleep", 2)
    service = kube.get("service", "asleep")
    assert all(service["metadata"]["creationTimestamp"] <= p["metadata"]["creationTimestamp"] for p in pods.values())
    kubelet.start("asleep-0")
    assert kube.status("asleep")["phase"] != "Running" and kube.status("asleep")["startTime"]
    kubelet.start("asleep-1")
    kube.wait_phase("asleep", "Running", seconds=10)


def test_t46_suspended_time_counts_for_no_deadline(kube, kubelet):
    kube.apply(training_job("paused", runPolicy={"activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 0}))
    kubelet.run("paused")
    set_policy(kube, "paused", suspend=True)
    kube.wait("its pod to go", lambda: not kube.pods("paused"), seconds=10)
    over = time.monotonic() + 6
    kube.wait("the deadline to be over", lambda: time.monotonic() > over, seconds=10)
    status = kube.status("paused")
    assert status["phase"] == "Suspended" and "startTime" not in status and kube.get("service", "paused")
    set_policy(kube, "paused", suspend=False, ttlSecondsAfterFinished=60)
    kubelet.run("paused", attempt=2)
    failed = kube.wait_phase("paused", "Failed", seconds=15)
    assert condition(failed, "Failed")["reason"] == "DeadlineExceeded"
    ran = [datetime.datetime.fromisoformat(failed[key]) for key in ("startTime", "completionTime")]
    assert 5 <= (ran[1] - ran[0]).total_seconds() <= 7


def test_t47_only_the_last_flip_of_suspend_counts(kube, kubelet):
    kube.apply(training_job("on", numNodes=2), training_job("off", numNodes=2))
    for job in ("on", "off"):
        kubelet.run(job, 2)
    for flip in (True, False, True, False, True):
        set_policy(kube, "off", suspend=flip)
        set_policy(kube, "on", suspend=not flip)
        set_policy(kube, "on", suspend=flip)
    set_policy(kube, "on", suspend=False)
    kube.wait("no pods", lambda: kube.status("off")["phase"] == "Suspended" and not kube.pods("off"), seconds=15)
    kube.wait("both pods", lambda: len(kube.pods("on")) == 2 and kube.status("on").get("podsCreated"), seconds=15)
    kubelet.run("on", 2, kube.status("on")["attempt"])
    assert kube.status("off")["phase"] == "Suspended"


def test_t50_shared_memory_is_there_and_never_twice(kube, kubelet):
    own = {"volumes": [{"name": "mine", "emptyDir": {"medium": "Memory"}}],
           "containers": [{"name": "trainer", "volumeMounts": [{"name": "mine", "mountPath": "/dev/shm"}]}]}
    kube.apply(training_job("roomy"), training_job("own", template={"spec": own}),
               training_job("off", sharedMemory={"enabled": False}), training_job("sized", sharedMemory={"sizeLimit": "2Gi"}))
    memory = {}
    for job in ("roomy", "own", "off", "sized"):
        spec = kubelet.gang(job)[f"{job}-0"]["spec"]
        mounts = [m["name"] for m in spec["containers"][0].get("volumeMounts", []) if m["mountPath"] == "/dev/shm"]
        memory[job] = [v["emptyDir"].get("sizeLimit") for v in spec.get("volumes", []) if v["name"] in mounts]
    assert memory == {"roomy": [None], "own": [None], "off": [], "sized": ["2Gi"]}


def test_t32_of_two_jobs_in_a_quota_for_one_one_runs(held_up):
    _, shared = held_up
    counts = shared.wait("one whole gang", lambda: (lambda c: c if 2 in c else None)(
        [len(shared.pods(job)) for job in ("left", "right")]), seconds=120)
    assert sorted(counts) == [0, 2]


def test_t31_a_job_recovers_when_the_quota_is_raised(held_up):
    alone, _ = held_up
    alone.wait("both pods", lambda: len(alone.pods("poor")) == 2, seconds=70)
