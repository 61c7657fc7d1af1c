"""The operator against a real API server without a node: the life of jobs, credentials, permissions."""
import itertools
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest
import yaml

from conftest import drop_namespace, fresh_namespace
from kube import BIN, ROOT, condition, training_job

OPERATOR = ROOT / "build" / "dev" / "operator" / "lockstep-operator"


class Operator:
    """The operator as a process of this machine; its log lines are kept."""

    def __init__(self, *flags, env=None):
        self.process = subprocess.Popen(
            [str(OPERATOR), "--health-address=127.0.0.1:0", "--trainer-image=lockstep/trainer:test", *flags],
            stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.lines = []
        self.reader = threading.Thread(target=self._follow, daemon=True)
        self.reader.start()

    def _follow(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def text(self):
        return "".join(self.lines)

    def stop(self):
        """SIGTERM; returns the exit status, which must come within 2 seconds."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=2)
        finally:
            self.process.kill()
            self.process.wait()
            self.reader.join()


@pytest.fixture
def kube(api_server):
    inside = fresh_namespace(api_server, "api")
    yield inside
    drop_namespace(inside)


@pytest.fixture
def operator(kube):
    running = Operator(f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}")
    yield running
    if running.process.poll() is None:
        assert running.stop() == 0, running.text()


def set_pod(kube, pod, phase, **state):
    """Plays the kubelet: writes the status of one pod."""
    container = {"name": "trainer", "image": "x", "imageID": "", "ready": phase == "Running", "restartCount": 0, "state": state}
    status = {"phase": phase, "containerStatuses": [container],
              "conditions": [{"type": "Ready", "status": "True" if phase == "Running" else "False"}]}
    kube.kubectl("patch", "pod", pod, "--subresource=status", "--type=merge", "-p", json.dumps({"status": status}))


def running(kube, *pods):
    for pod in pods:
        set_pod(kube, pod, "Running", running={"startedAt": "2026-01-01T00:00:00Z"})


def terminated(kube, pod, code, message=""):
    set_pod(kube, pod, "Succeeded" if code == 0 else "Failed",
            terminated={"exitCode": code, "reason": "Completed" if code == 0 else "Error", "message": message,
                        "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:10Z"})


def test_the_life_of_a_job_without_a_node(kube, operator):
    kube.apply(training_job("life", numNodes=2, procPerNode=2))
    kube.wait("two pods", lambda: len(kube.pods("life")) == 2)
    pods = {p["metadata"]["name"]: p for p in kube.pods("life")}
    assert sorted(pods) == ["life-0", "life-1"]
    owner = pods["life-0"]["metadata"]["ownerReferences"][0]
    assert owner["uid"] == kube.job("life")["metadata"]["uid"] and owner["controller"] is True
    running(kube, "life-0", "life-1")
    assert kube.wait_phase("life", "Running")["display"]["nodes"] == "2/2"
    for pod in pods:
        terminated(kube, pod, 0)
    status = kube.wait_phase("life", "Succeeded")
    assert status["completionTime"] and status["worldSize"] == 4
    row = kube.kubectl("get", "tj", "life").stdout.splitlines()
    assert row[0].split() == ["NAME", "STATE", "NODES", "RESTARTS", "PROGRESS", "ETA", "AGE"]
    assert row[1].split()[:2] == ["life", "Succeeded"]


def test_backoff_limit_counts_exactly(kube, operator):
    """backoffLimit 1 means two attempts; the whole gang is replaced each time."""
    kube.apply(training_job("twice", numNodes=2, runPolicy={"backoffLimit": 1}))
    for attempt in (1, 2):
        kube.wait("both pods of the attempt", lambda: [
            p["metadata"]["labels"]["lockstep.dev/attempt"] for p in kube.pods("twice")] == [str(attempt)] * 2)
        running(kube, "twice-0", "twice-1")
        terminated(kube, "twice-1", 1, "boom")
    status = kube.wait_phase("twice", "Failed")
    assert status["attempt"] == 2 and status["restarts"]["failures"] == 1
    assert status["lastFailure"]["nodeRank"] == 1 and "boom" in status["lastFailure"]["message"]


def test_a_failure_rule_decides_before_the_exit_code_table(kube, operator):
    """64 is permanent by the table; the rule restarts without counting; then 3 fails the job with its budget unspent."""
    rules = [{"exitCodes": ["64-66"], "action": "RestartWithoutCounting"}, {"exitCodes": [3], "action": "Fail"}]
    kube.apply(training_job("ruled", runPolicy={"failureRules": rules}))
    for attempt, code in ((1, 64), (2, 3)):
        kube.wait("the pod of the attempt", lambda: [
            p["metadata"]["labels"]["lockstep.dev/attempt"] for p in kube.pods("ruled")] == [str(attempt)])
        running(kube, "ruled-0")
        terminated(kube, "ruled-0", code)
    status = kube.wait_phase("ruled", "Failed")
    assert status["restarts"].get("failures", 0) == 0
    assert condition(status, "Failed")["reason"] == "FailureRule"
    assert "failureRules[1] says Fail" in condition(status, "Failed")["message"]


def test_a_job_past_its_active_deadline_fails_and_is_deleted_when_its_time_is_over(kube, operator):
    kube.apply(training_job("brief", runPolicy={"activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 10}))
    kube.wait("its pod", lambda: kube.pods("brief"))
    running(kube, "brief-0")
    status = kube.wait_phase("brief", "Failed", seconds=30)
    assert condition(status, "Failed")["reason"] == "DeadlineExceeded" and status["completionTime"]
    kube.wait("the job to be deleted", lambda: kube.job("brief") is None, seconds=30)


def test_a_pod_deleted_while_the_operator_was_down_is_a_lost_node(kube):
    flags = (f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}")
    first = Operator(*flags)
    kube.apply(training_job("outage", numNodes=2))
    kube.wait("podsCreated", lambda: kube.status("outage").get("podsCreated"))
    running(kube, "outage-0", "outage-1")
    kube.wait_phase("outage", "Running")
    first.process.kill()
    first.process.wait()
    kube.kubectl("delete", "pod", "outage-1", "--grace-period=0", "--force")
    second = Operator(*flags)
    status = kube.wait("the restart", lambda: (lambda s: s if s.get("attempt") == 2 else None)(kube.status("outage")))
    assert status["attemptCause"] == "Disruption" and status["restarts"].get("failures", 0) == 0
    assert second.stop() == 0


def test_a_converged_job_causes_no_writes_after_a_restart(kube):
    flags = (f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}")
    first = Operator(*flags)
    kube.apply(training_job("quiet", numNodes=2))
    kube.wait("two pods", lambda: len(kube.pods("quiet")) == 2)
    running(kube, "quiet-0", "quiet-1")
    kube.wait_phase("quiet", "Running")
    assert first.stop() == 0
    version = kube.job("quiet")["metadata"]["resourceVersion"]
    second = Operator(*flags)
    kube.apply(training_job("later"))  # a job reconciled after `quiet`: when it has a pod, `quiet` was looked at
    kube.wait("the second job's pod", lambda: kube.pods("later"))
    assert second.stop() == 0
    assert kube.job("quiet")["metadata"]["resourceVersion"] == version


def test_an_invalid_config_is_said_in_a_condition(kube, operator):
    kube.apply(training_job("fat", config={"blob": "x" * 70000}))
    status = kube.wait("the Invalid condition", lambda: (
        lambda s: s if condition(s, "Invalid").get("status") == "True" else None)(kube.status("fat")))
    assert "64 KiB" in condition(status, "Invalid")["message"]
    assert not kube.pods("fat")


def test_a_foreign_pod_under_our_name_is_never_touched(kube, operator):
    foreign = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "taken-0"},
               "spec": {"containers": [{"name": "c", "image": "x", "securityContext": {
                   "allowPrivilegeEscalation": False, "runAsNonRoot": True, "capabilities": {"drop": ["ALL"]},
                   "seccompProfile": {"type": "RuntimeDefault"}}}]}}
    kube.apply(foreign)
    uid = kube.get("pod", "taken-0")["metadata"]["uid"]
    kube.apply(training_job("taken"))
    status = kube.wait("NameConflict", lambda: (
        lambda s: s if condition(s, "NameConflict").get("status") == "True" else None)(kube.status("taken")))
    assert "taken-0" in condition(status, "NameConflict")["message"]
    assert kube.get("pod", "taken-0")["metadata"]["uid"] == uid


def limited_kubeconfig(kube, tmp_path, rules):
    """A kubeconfig of a service account that has exactly these rules."""
    name = f"limited-{next(_names)}"
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}, "rules": rules}
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name},
               "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
               "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": kube.namespace}]}
    kube.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}, role, binding)
    config = yaml.safe_load(Path(kube.kubeconfig).read_text())
    config["users"][0]["user"] = {"token": kube.kubectl("create", "token", name).stdout.strip()}
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    return path


_names = itertools.count()


def test_a_missing_verb_is_named(kube, tmp_path):
    rules = [{"apiGroups": ["lockstep.dev"], "resources": ["trainingjobs"], "verbs": ["get", "list", "watch"]},
             {"apiGroups": [""], "resources": ["services"], "verbs": ["get", "list", "watch"]}]
    operator = Operator(f"--kubeconfig={limited_kubeconfig(kube, tmp_path, rules)}", f"--namespace={kube.namespace}")
    kube.wait("the missing verb in the log", lambda: re.search(r"list.{0,20}pods", operator.text()), seconds=20)
    assert operator.process.poll() is None, "a missing permission is waited for, not died of"
    operator.stop()


def test_a_wrong_kubeconfig_is_one_sentence_and_exit_64(tmp_path):
    broken = tmp_path / "broken"
    broken.write_text("clusters: [}")
    for path in (tmp_path / "absent", broken):
        done = subprocess.run([str(OPERATOR), f"--kubeconfig={path}"], text=True, capture_output=True, timeout=10, check=False)
        assert done.returncode == 64 and str(path) in done.stderr + done.stdout


def test_an_unknown_flag_names_the_nearest_one():
    done = subprocess.run([str(OPERATOR), "--namespaces=x"], text=True, capture_output=True, timeout=10, check=False)
    assert done.returncode == 64 and "--namespace" in done.stderr


def test_an_unreachable_api_server_is_waited_for(kube, tmp_path):
    config = yaml.safe_load(Path(kube.kubeconfig).read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    operator = Operator(f"--kubeconfig={path}")
    kube.wait("a log line that names the server", lambda: "127.0.0.1:1" in operator.text(), seconds=15)
    assert operator.process.poll() is None
    assert operator.stop() == 0


def test_the_chart_grants_no_secrets_no_exec_and_no_wildcard():
    rendered = subprocess.run([str(BIN / "helm"), "template", "x", str(ROOT / "charts/lockstep")],
                              text=True, capture_output=True, check=True).stdout
    rules = [rule for doc in yaml.safe_load_all(rendered) if doc and doc["kind"] == "ClusterRole" for rule in doc["rules"]]
    words = json.dumps(rules)
    assert rules and "secrets" not in words and "exec" not in words and "*" not in words
