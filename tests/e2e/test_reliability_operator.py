"""Known failures of training operators: the operator dies, lags or lacks a right. docs/reliability.md lists the cases."""
import re
import signal
import time
from datetime import datetime, timezone

import pytest

from conftest import fresh_namespace
from kube import condition, training_job
from operator_process import Operator, limited_kubeconfig, role

# What the operator does, by resource; a test withholds some of it.
RIGHTS = {("lockstep.dev", "trainingjobs"): ["get", "list", "watch", "delete"],
          ("lockstep.dev", "trainingjobs/status"): ["patch"],
          ("", "pods"): ["get", "list", "watch", "create", "delete"], ("", "services"): ["get", "list", "watch", "create"],
          ("networking.k8s.io", "networkpolicies"): ["get", "list", "watch", "create"], ("", "events"): ["create"]}


@pytest.fixture
def kube(api_namespace):
    return api_namespace


@pytest.fixture
def start(kube):
    """Starts an operator for the namespace of the test; ends those that still run when the test does."""
    running = []

    def begin(kubeconfig=None):
        running.append(Operator(f"--kubeconfig={kubeconfig or kube.kubeconfig}", f"--namespace={kube.namespace}"))
        return running[-1]

    yield begin
    for operator in running:
        if operator.process.poll() is None:
            operator.kill()


def rules(without=None, verb=None):
    kept = {key: [v for v in verbs if (key[1], v) != (without, verb)] for key, verbs in RIGHTS.items()}
    return [{"apiGroups": [group], "resources": [resource], "verbs": verbs} for (group, resource), verbs in kept.items() if verbs]


def withheld(kube, folder, resource, verb):
    """A kubeconfig without one right, and the function that grants it."""
    path = limited_kubeconfig(kube, folder, rules(resource, verb))
    return path, lambda: kube.apply(role(path.stem, rules()))


def uids(objects):
    return {each["metadata"]["uid"] for each in objects}


def test_t22_a_job_expires_on_time_although_the_operator_was_away(kube, kubelet, start):
    first = start()
    kube.apply(training_job("brief", runPolicy={"ttlSecondsAfterFinished": 5}))
    kubelet.run("brief")
    kubelet.exit("brief-0", 0)
    ended = datetime.fromisoformat(kube.wait_phase("brief", "Succeeded", seconds=10)["completionTime"])
    first.kill()
    start()
    kube.wait("the job to expire", lambda: kube.job("brief") is None, seconds=20)
    assert 5 <= (datetime.now(timezone.utc) - ended).total_seconds() <= 10


def test_t26_backoff_limit_counts_exactly(kube, kubelet, start):
    """3 means four attempts, also for an operator that is killed at each restart."""
    operator = start()
    kube.apply(training_job("four", numNodes=2, runPolicy={"backoffLimit": 3, "restartBackoff": {"initialSeconds": 0}}))
    for attempt in (1, 2, 3, 4):
        kubelet.run("four", 2, attempt)
        kubelet.exit("four-1", 1, message="boom")
        counted = lambda s, a=attempt: s["attempt"] > a or s["phase"] == "Failed"  # noqa: E731
        kube.wait("the failure to be counted", lambda: counted(kube.status("four")))
        operator.kill()
        operator = start()
    status = kube.wait_phase("four", "Failed", seconds=10)
    assert status["attempt"] == 4 and status["restarts"]["failures"] == 3
    assert condition(status, "Failed")["reason"] == "BackoffLimitExceeded" and status["lastFailure"]["message"] == "boom"


def test_t30_nothing_is_told_or_made_before_the_status_is_written(kube, kubelet, start, tmp_path):
    kubeconfig, grant = withheld(kube, tmp_path, "trainingjobs/status", "patch")
    operator = start(kubeconfig)
    kube.apply(training_job("mute"))
    kube.wait("the missing verb in the log", lambda: "add verb patch on trainingjobs/status" in operator.text(), seconds=20)
    assert not kube.pods("mute") and not kube.events("mute") and not kube.get("service", "mute")
    assert 'to="' not in operator.page("/metrics")[1], "no transition is counted"
    grant()
    kubelet.run("mute")
    assert kube.events("mute")


def test_t38_a_job_that_was_deleted_meanwhile_gets_nothing(kube, start):
    operator = start()
    kube.wait("the operator to be ready", lambda: "the caches are filled" in operator.text(), seconds=10)
    operator.process.send_signal(signal.SIGSTOP)
    kube.apply(training_job("gone"))
    kube.kubectl("delete", "tj", "gone")
    kube.apply(training_job("next"))
    operator.process.send_signal(signal.SIGCONT)
    kube.wait("the pod of the next job", lambda: kube.pods("next"), seconds=20)
    assert not kube.pods("gone") and not kube.get("service", "gone")


def test_t39_an_operator_killed_while_it_creates_makes_no_pod_twice(kube, kubelet, start):
    first = start()
    kube.apply(training_job("many", numNodes=60))
    kube.wait("the first pods", lambda: kube.pods("many"), seconds=10)
    first.kill()
    made = uids(kube.pods("many"))
    start()
    pods = kubelet.gang("many", 60)
    assert made <= uids(pods.values())
    assert kube.wait("podsCreated", lambda: kube.status("many").get("podsCreated") and kube.status("many"))["attempt"] == 1


def test_t41_a_job_is_never_given_up_however_often_a_write_fails(kube, kubelet, start, tmp_path):
    kubeconfig, grant = withheld(kube, tmp_path, "pods", "delete")
    operator = start(kubeconfig)
    kube.apply(training_job("patient", numNodes=2))
    kubelet.run("patient", 2)
    kubelet.exit("patient-1", 1)
    slow = r'"next_try_ms":[12]\d{3}\b'  # the ninth failure in a row and those after it
    kube.wait("the pauses to grow", lambda: re.search(slow, operator.text()), seconds=20)
    grant()
    kubelet.gang("patient", 2, attempt=2)
    assert len(re.findall("cannot reconcile", operator.text())) >= 8


def test_t42_jobs_are_taken_while_the_operator_is_down(kube, kubelet, start):
    """No webhook stands before jobs or pods; the definition alone refuses what is wrong."""
    for kind in ("validatingwebhookconfigurations", "mutatingwebhookconfigurations"):
        assert not kube.get(kind)
    kube.apply(training_job("early"))
    assert kube.apply(training_job("wrong", numNodes=0), check=False).returncode != 0
    start()
    kubelet.gang("early")


def test_t43_the_operator_is_alive_before_it_is_ready_and_needs_no_optional_api(kube, start, tmp_path):
    groups = kube.kubectl("api-versions").stdout
    assert "volcano" not in groups and "kueue" not in groups and "scheduling.x-k8s.io" not in groups
    kubeconfig, grant = withheld(kube, tmp_path, "pods", "list")
    operator = start(kubeconfig)
    kube.wait("the missing verb in the log", lambda: "add verb list on pods" in operator.text(), seconds=20)
    assert operator.page("/healthz")[0] == 200 and operator.page("/readyz")[0] == 503
    grant()
    kube.wait("the operator to be ready", lambda: operator.page("/readyz")[0] == 200, seconds=40)
    kube.apply(training_job("alone", schedulingPolicy={"gang": "Volcano"}))
    kube.wait("its pod", lambda: kube.pods("alone"), seconds=10)
    assert condition(kube.status("alone"), "GangScheduled")["status"] == "False"


def test_t44_without_an_operator_a_namespace_goes_with_all_that_is_in_it(api_server):
    kube = fresh_namespace(api_server, "leaving", level="privileged")
    kube.wait("its service account", lambda: kube.get("serviceaccount", "default"))
    operator = Operator(f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}")
    kube.apply(training_job("leaving", numNodes=2))
    kube.wait("its pods", lambda: len(kube.pods("leaving")) == 2, seconds=20)
    assert operator.stop() == 0
    ours = [kube.job("leaving"), kube.get("service", "leaving"), *kube.pods("leaving")]
    assert not any("finalizers" in each["metadata"] for each in ours)
    assert not any(o.get("blockOwnerDeletion") for each in ours for o in each["metadata"].get("ownerReferences", []))
    kube.kubectl("delete", "namespace", kube.namespace, "--wait=false")
    kube.wait("the namespace to be gone", lambda: kube.get("namespace", kube.namespace) is None, seconds=60)


def transitions(operator):
    found = re.findall(r'lockstep_job_transitions_total\{(.+?)\} (\d+)', operator.page("/metrics")[1])
    return {re.search(r'to="(\w+)"', labels).group(1): int(count) for labels, count in found}


def test_t51_counters_count_each_transition_once(kube, kubelet, start):
    first = start()
    kube.apply(training_job("counted", numNodes=2))
    kubelet.run("counted", 2)
    kubelet.exit("counted-1", 1)
    for pod in kubelet.run("counted", 2, attempt=2):
        kubelet.exit(pod, 0)
    kube.wait("the end to be counted", lambda: "Succeeded" in transitions(first), seconds=10)
    counts = transitions(first)
    assert (counts["Running"], counts["Restarting"], counts["Succeeded"]) == (2, 1, 1)
    first.kill()
    second = start()
    kube.apply(training_job("later"))
    kubelet.gang("later")
    assert not {"Running", "Restarting", "Succeeded"} & set(transitions(second)), "old transitions are not news"


def writes(kube):
    """Every write of an operator in the namespace, from the API server's own audit log."""
    seen = kube.audited(f'"namespace":"{kube.namespace}"', '"userAgent":"lockstep-operator')
    return [f"{e['verb']} {e['objectRef']['resource']}/{e['objectRef'].get('name')}" for e in seen
            if e["verb"] not in ("get", "list", "watch")]


def test_t54_a_job_that_is_as_it_should_be_causes_no_write(kube, kubelet, start):
    first = start()
    kube.apply(training_job("idle", numNodes=2), training_job("done"))
    kubelet.run("idle", 2)
    kubelet.run("done")
    kubelet.exit("done-0", 0)
    kube.wait_phase("done", "Succeeded", seconds=10)
    before = writes(kube)
    assert any("trainingjobs/idle" in write for write in before), "the audit log shows the writes of the beginning"
    kube.kubectl("annotate", "tj", "idle", "done", "look=again")
    kube.kubectl("annotate", "pods", "--all", "look=again")
    first.kill()
    second = start()
    kube.wait("the operator to be ready", lambda: "the caches are filled" in second.text(), seconds=10)
    over = time.monotonic() + 5
    kube.wait("five quiet seconds", lambda: time.monotonic() > over, seconds=10)
    assert writes(kube) == before


def test_t54_a_long_message_in_any_language_is_written_once(kube, kubelet, start):
    start()
    kube.apply(training_job("wordy"))
    kubelet.gang("wordy")
    kubelet.bind("wordy-0")
    kubelet.write("wordy-0", "Pending", {"waiting": {"reason": "ErrImagePull", "message": "ü" * 1100}})
    kube.wait("the message", lambda: condition(kube.status("wordy"), "Running").get("reason") == "ErrImagePull", seconds=10)
    before = len(writes(kube))
    for look in range(5):
        kube.kubectl("annotate", "tj", "wordy", f"look={look}", "--overwrite")
    kube.apply(training_job("probe"))
    kube.wait("the pod of the probe", lambda: kube.pods("probe"), seconds=10)
    assert [w for w in writes(kube)[before:] if "wordy" in w] == []
