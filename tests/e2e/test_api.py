"""The operator against a real API server without a node: the life of jobs, credentials, permissions."""
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import drop_namespace, fresh_namespace
from kube import BIN, ROOT, condition, training_job
from operator_process import PROGRAM, Operator, limited_kubeconfig
from rendering import said, single


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


def test_the_life_of_a_job_without_a_node(kube, kubelet, operator):
    kube.apply(training_job("life", numNodes=2, procPerNode=2))
    kube.wait("two pods", lambda: len(kube.pods("life")) == 2)
    pods = {p["metadata"]["name"]: p for p in kube.pods("life")}
    assert sorted(pods) == ["life-0", "life-1"]
    owner = pods["life-0"]["metadata"]["ownerReferences"][0]
    assert owner["uid"] == kube.job("life")["metadata"]["uid"] and owner["controller"] is True
    kubelet.start("life-0", "life-1")
    assert kube.wait_phase("life", "Running")["display"]["nodes"] == "2/2"
    for pod in pods:
        kubelet.exit(pod, 0)
    status = kube.wait_phase("life", "Succeeded")
    assert status["completionTime"] and status["worldSize"] == 4
    row = kube.kubectl("get", "tj", "life").stdout.splitlines()
    assert row[0].split() == ["NAME", "STATE", "NODES", "RESTARTS", "PROGRESS", "ETA", "AGE"]
    assert row[1].split()[:2] == ["life", "Succeeded"]


def test_a_failure_rule_decides_before_the_exit_code_table(kube, kubelet, operator):
    """64 is permanent by the table; the rule restarts without counting; then 3 fails the job with its budget unspent."""
    rules = [{"exitCodes": ["64-66"], "action": "RestartWithoutCounting"}, {"exitCodes": [3], "action": "Fail"}]
    kube.apply(training_job("ruled", runPolicy={"failureRules": rules}))
    for attempt, code in ((1, 64), (2, 3)):
        kube.wait("the pod of the attempt", lambda: [
            p["metadata"]["labels"]["lockstep.dev/attempt"] for p in kube.pods("ruled")] == [str(attempt)])
        kubelet.start("ruled-0")
        kubelet.exit("ruled-0", code)
    status = kube.wait_phase("ruled", "Failed")
    assert status["restarts"].get("failures", 0) == 0
    assert condition(status, "Failed")["reason"] == "FailureRule"
    assert "failureRules[1] says Fail" in condition(status, "Failed")["message"]


def test_a_job_past_its_active_deadline_fails_and_is_deleted_when_its_time_is_over(kube, kubelet, operator):
    kube.apply(training_job("brief", runPolicy={"activeDeadlineSeconds": 5, "ttlSecondsAfterFinished": 10}))
    kube.wait("its pod", lambda: kube.pods("brief"))
    kubelet.start("brief-0")
    status = kube.wait_phase("brief", "Failed", seconds=30)
    assert condition(status, "Failed")["reason"] == "DeadlineExceeded" and status["completionTime"]
    kube.wait("the job to be deleted", lambda: kube.job("brief") is None, seconds=30)


def test_a_pod_deleted_while_the_operator_was_down_is_a_lost_node(kube, kubelet):
    flags = (f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}")
    first = Operator(*flags)
    kube.apply(training_job("outage", numNodes=2))
    kube.wait("podsCreated", lambda: kube.status("outage").get("podsCreated"))
    kubelet.start("outage-0", "outage-1")
    kube.wait_phase("outage", "Running")
    first.process.kill()
    first.process.wait()
    kube.kubectl("delete", "pod", "outage-1", "--grace-period=0", "--force")
    second = Operator(*flags)
    status = kube.wait("the restart", lambda: (lambda s: s if s.get("attempt") == 2 else None)(kube.status("outage")))
    assert status["attemptCause"] == "Disruption" and status["restarts"].get("failures", 0) == 0
    assert second.stop() == 0


def test_a_converged_job_causes_no_writes_after_a_restart(kube, kubelet):
    flags = (f"--kubeconfig={kube.kubeconfig}", f"--namespace={kube.namespace}")
    first = Operator(*flags)
    kube.apply(training_job("quiet", numNodes=2))
    kube.wait("two pods", lambda: len(kube.pods("quiet")) == 2)
    kubelet.start("quiet-0", "quiet-1")
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


@pytest.mark.parametrize("path, text", [pytest.param(p, t, id=p.stem) for p, t in single("invalid")])
def test_a_job_that_breaks_a_rule_of_the_operator_is_left_as_it_is(kube, operator, path, text):
    kube.kubectl("apply", "-f", str(path))
    name = yaml.safe_load(text)["metadata"]["name"]
    message = kube.wait("the Invalid condition", lambda: condition(kube.status(name), "Invalid").get("message"))
    assert said(text, "expect")[0] in message and not kube.pods(name)


def test_a_label_of_the_template_that_is_replaced_is_said_in_an_event(kube, operator):
    """The words are those of render, which test_render.py compares."""
    kube.apply(training_job("labelled", template={"metadata": {"labels": {"lockstep.dev/attempt": "9"}}}))
    kube.wait("the event", lambda: [e for e in kube.events("labelled") if e["reason"] == "ReservedLabel"
                                    and "sets the label lockstep.dev/attempt" in e["message"]])


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
        done = subprocess.run([str(PROGRAM), f"--kubeconfig={path}"], text=True, capture_output=True, timeout=10, check=False)
        assert done.returncode == 64 and str(path) in done.stderr + done.stdout


def test_an_unknown_flag_names_the_nearest_one():
    done = subprocess.run([str(PROGRAM), "--namespaces=x"], text=True, capture_output=True, timeout=10, check=False)
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
