"""kubectl-lockstep against a real API server: the life of a job through it, and what its doctor finds."""
import json
import os
import re
import signal
import stat
import subprocess
from pathlib import Path

import pytest
import yaml

from kube import BIN, training_job
from operator_process import limited_kubeconfig
from plugin_process import PROGRAM, Plugin


@pytest.fixture
def kube(api_namespace, operator_everywhere):
    return api_namespace


@pytest.fixture
def plugin(kube):
    return Plugin(kube)


def findings(text):
    """What is wrong, by the numbers in front."""
    return re.findall(r"^\d+\. (.*)$", text, re.M)


def wait_reason(kube, job, reason):
    kube.wait(f"{job} to say {reason}", lambda: kube.status(job).get("display", {}).get("reason") == reason, seconds=60)


def table(text):
    """Rows by name, of a table with a header."""
    lines = text.splitlines()
    columns = [(m.group(), m.start()) for m in re.finditer(r"\S+", lines[0])]
    ends = [start for _, start in columns[1:]] + [None]
    rows = [{name: line[start:end].strip() for (name, start), end in zip(columns, ends)} for line in lines[1:]]
    return {row["NAME"]: row for row in rows}


def test_the_life_of_a_job_through_the_plugin(kube, kubelet, plugin):
    assert "no TrainingJobs in namespace " + kube.namespace in plugin("list")
    kube.apply(training_job("life", numNodes=2, procPerNode=2, image="x"))
    kubelet.run("life", nodes=2)
    assert table(plugin("list"))["life"]["STATE"] == "Running"
    assert table(plugin("list", "-A"))["life"]["NAMESPACE"] == kube.namespace
    assert plugin("doctor", "life").startswith("nothing is wrong: life is Running")
    words = {"rank": 3, "exitCode": 3, "reason": "rank 3 exited with 3", "lastLines": ["ValueError: \x1b[31mbad\x1b[0m"]}
    kubelet.exit("life-1", 3, message=json.dumps(words))
    kubelet.run("life", nodes=2, attempt=2)
    text = plugin("describe", "life")
    assert "rank 3 on node 1 (pod life-1 on machine " in text and "of attempt 1 exited with 3" in text
    assert "ValueError: [31mbad" in text and "\x1b" not in text, "what a program prints does not steer the terminal"
    assert re.search(r"^Restarts: +1 failure of at most 3, 0 disruptions$", text, re.M)
    assert re.search(r"^Nodes: +2: 2 ready; 4 processes in all$", text, re.M)
    for kind in ("Service", "NetworkPolicy"):
        assert re.search(rf"^  {kind} +life ", text, re.M)
    for event in ("NodeFailed", "AllNodesRunning"):
        assert event in text.split("Events:")[1]


def test_suspend_and_resume(kube, kubelet, plugin):
    kube.apply(training_job("pause", image="x"))
    kubelet.run("pause")
    assert "pause is suspended: its nodes save and end" in plugin("suspend", "pause")
    kube.wait_phase("pause", "Suspended", seconds=60)
    assert findings(plugin("doctor", "pause", code=1)) == ["the job is suspended"]
    assert "suspended already" in plugin("suspend", "pause")
    assert "is suspended, so there is nothing to restart" in plugin("restart", "pause", code=1)
    assert "pause is resumed" in plugin("resume", "pause")
    kubelet.run("pause", attempt=2)
    assert "is not suspended" in plugin("resume", "pause")
    kubelet.exit("pause-0", 0)
    kube.wait_phase("pause", "Succeeded", seconds=60)
    assert "pause has ended (Succeeded) and cannot be suspended" in plugin("suspend", "pause", code=1)


def test_a_restart_costs_no_limit(kube, kubelet, plugin):
    kube.apply(training_job("again", numNodes=2, image="x"))
    kubelet.run("again", nodes=2)
    restarting = plugin.start("restart", "again")
    kubelet.run("again", nodes=2, attempt=2)
    said, complaints = restarting.communicate(timeout=60)
    assert restarting.returncode == 0, complaints
    assert said.splitlines()[0] == "suspending again: its nodes save and end"
    assert said.splitlines()[-1] == "attempt 2 runs on all nodes"
    status = kube.status("again")
    assert status["restarts"] == {"failures": 0, "disruptions": 0, "consecutive": 0}
    assert kube.job("again")["spec"]["runPolicy"]["suspend"] is False


def test_an_interrupted_restart_says_what_is_left(kube, kubelet, plugin, operator_everywhere):
    kube.apply(training_job("caught", image="x"))
    kubelet.run("caught")
    operator_everywhere.process.send_signal(signal.SIGSTOP)  # nobody carries the suspension out
    try:
        complaints = interrupted(kube, plugin, lambda: suspended(kube, "caught"))
    finally:
        operator_everywhere.process.send_signal(signal.SIGCONT)
    assert "interrupted: caught is suspended now, its checkpoints stay: `kubectl lockstep resume caught" in complaints
    kube.wait_phase("caught", "Suspended", seconds=60)
    plugin("resume", "caught")
    kubelet.run("caught", attempt=2)
    kubelet.hold("caught-0")  # the next attempt has to wait for it
    complaints = interrupted(kube, plugin, lambda: kube.status("caught").get("attempt") == 3 and not suspended(kube, "caught"))
    assert "interrupted: caught is resumed and " in complaints and "doctor caught" in complaints
    kubelet.release("caught-0")
    kubelet.run("caught", attempt=3)


def suspended(kube, job):
    return kube.job(job)["spec"].get("runPolicy", {}).get("suspend") is True


def interrupted(kube, plugin, moment):
    """What a restart of `caught` complains about when it is interrupted at that moment."""
    restarting = plugin.start("restart", "caught")
    kube.wait("the moment to interrupt", moment, seconds=60)
    restarting.send_signal(signal.SIGINT)
    said, complaints = restarting.communicate(timeout=60)
    assert restarting.returncode == 128 + signal.SIGINT, said + complaints
    return complaints


def test_a_restart_that_stands_still_is_given_up(kube, kubelet, plugin):
    kube.apply(training_job("slow", image="x"))
    kubelet.run("slow")
    said = plugin("restart", "slow", "--timeout", "3", code=1)  # nobody starts its new pod
    assert "it takes too long: slow is resumed" in said


def test_the_doctor_on_machines_that_do_not_fit(kube, plugin):
    kube.apply(training_job("wide", numNodes=7, image="x", resourcesPerNode={"limits": {"nvidia.com/gpu": "8"}}))
    wait_reason(kube, "wide", "Unschedulable")
    kube.wait("the scheduler's word on each pod", lambda: all(
        p["status"].get("conditions") for p in kube.pods("wide")) and len(kube.pods("wide")) == 7, seconds=60)
    text = plugin("doctor", "wide", code=1)
    assert findings(text) == ["nodes 0, 1, 2, 3, 4 and 2 more: no machine fits"]
    assert "seen: scheduler: " in text and "do:   " in text


def test_the_doctor_on_an_image_that_is_not_there(kube, kubelet, plugin):
    kube.apply(training_job("typo", image="registry/fashoin:1"))
    kubelet.gang("typo")
    kubelet.wait_for_image("typo-0", "registry/fashoin:1")
    wait_reason(kube, "typo", "ImagePullBackOff")
    text = plugin("doctor", "typo", code=1)
    assert findings(text) == ["node 0: the container does not start (ImagePullBackOff)"]
    assert "container trainer, image registry/fashoin:1: Back-off pulling image registry/fashoin:1" in text


def test_the_doctor_on_a_quota_that_is_used_up(kube, plugin):
    kube.apply({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "team"}, "spec": {"hard": {"pods": "1"}}})
    kube.wait("the quota to be counted", lambda: kube.get("resourcequota", "team").get("status", {}).get("hard"))
    kube.apply(training_job("greedy", numNodes=3, image="x"))
    wait_reason(kube, "greedy", "CreateRefused")
    text = plugin("doctor", "greedy", code=1)
    assert findings(text)[0] == "the namespace's quota is used up"
    assert "exceeded quota: team" in text


def test_the_doctor_on_a_name_that_is_taken(kube, plugin):
    kube.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "taken"}, "spec": {"clusterIP": "None"}})
    kube.apply(training_job("taken", image="x"))
    wait_reason(kube, "taken", "NameTaken")
    text = plugin("doctor", "taken", code=1)
    assert findings(text) == ["an object of another owner has a name that the job needs"]
    assert "Service taken" in text


def test_the_doctor_on_a_claim_that_is_missing_or_unbound(kube, plugin):
    kube.apply(training_job("lost", image="x", checkpoints={"claimName": "nowhere"}))
    wait_reason(kube, "lost", "Unschedulable")
    assert "the claim nowhere does not exist" in findings(plugin("doctor", "lost", code=1))
    kube.apply({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "nowhere"},
                "spec": {"accessModes": ["ReadWriteMany"], "storageClassName": "none",
                         "resources": {"requests": {"storage": "1Gi"}}}})
    assert "the claim nowhere is not bound" in findings(plugin("doctor", "lost", code=1))


def test_the_doctor_on_a_job_that_failed_for_good(kube, kubelet, plugin):
    kube.apply(training_job("broken", image="x", runPolicy={"backoffLimit": 0}))
    kubelet.run("broken")
    kubelet.exit("broken-0", 1, message="RuntimeError: Address already in use")
    kube.wait_phase("broken", "Failed", seconds=60)
    text = plugin("doctor", "broken", code=1)
    assert findings(text) == ["the job has failed: BackoffLimitExceeded", "the master port was taken"]


def test_the_doctor_on_a_job_that_is_left_to_another(kube, plugin):
    kube.apply(training_job("alone", image="x", runPolicy={"managedBy": "example.com/other"}))
    assert "the job is left to example.com/other" in findings(plugin("doctor", "alone", code=1))
    assert "is managed by example.com/other, which decides" in plugin("suspend", "alone", code=1)


def test_an_unknown_job_and_the_one_that_was_meant(kube, plugin):
    kube.apply(training_job("fashion", image="x"))
    for command in ("describe", "logs", "suspend", "resume", "restart", "doctor"):
        said = plugin(command, "fashoin", code=1)
        assert f"there is no TrainingJob fashoin in namespace {kube.namespace}: did you mean fashion?" in said


def test_a_cluster_that_does_not_answer(kube, tmp_path):
    config = yaml.safe_load(Path(kube.kubeconfig).read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    path = tmp_path / "kubeconfig"
    path.write_text(yaml.safe_dump(config))
    away = Plugin(kube)
    away.flags = [f"--kubeconfig={path}"]
    assert "127.0.0.1:1 was refused" in away("list", code=69)
    text = away("doctor", "any", code=69)
    assert findings(text) == ["the cluster does not answer"] and "127.0.0.1:1 was refused" in text


def test_a_kubectl_that_is_not_there(kube):
    assert "cannot run /nowhere/kubectl: No such file" in Plugin(kube, KUBECTL="/nowhere/kubectl")("list", code=69)


def test_what_a_user_may_not_do(kube, tmp_path):
    reads = [{"apiGroups": ["lockstep.dev"], "resources": ["trainingjobs"], "verbs": ["get", "list"]}]
    kube.apply(training_job("theirs", image="x", runPolicy={"suspend": True}))
    kube.wait_phase("theirs", "Suspended", seconds=60)
    reader = Plugin(kube)
    reader.flags[0] = f"--kubeconfig={limited_kubeconfig(kube, tmp_path, reads)}"
    assert "cannot patch resource" in reader("resume", "theirs", code=77)
    text = reader("doctor", "theirs", code=1)
    assert findings(text) == ["the job is suspended"] and "not examined: machines: " in text
    nobody = Plugin(kube)
    nobody.flags[0] = f"--kubeconfig={limited_kubeconfig(kube, tmp_path, [])}"
    assert "cannot list resource" in nobody("list", code=77)
    assert findings(nobody("doctor", "theirs", code=77)) == ["you may not read TrainingJobs"]


def test_wrong_usage_is_64_and_names_the_nearest(plugin):
    assert "there is no command docter: did you mean doctor?" in plugin("docter", code=64)
    assert "there is no flag --folow: did you mean --follow?" in plugin("logs", "x", "--folow", code=64)
    assert "is no name of a job" in plugin("describe", "a/b", code=64)
    assert "JOB is required" in plugin("describe", code=64)


def test_kubectl_finds_the_plugin_and_completes_it(kube, tmp_path):
    kube.apply(training_job("fashion", image="x"))
    env = {**os.environ, "PATH": f"{PROGRAM.parent}:{BIN}:{os.environ['PATH']}", "KUBECONFIG": kube.kubeconfig}

    def kubectl(*args):
        return subprocess.run(["kubectl", *args], env=env, text=True, capture_output=True, check=True, timeout=60).stdout

    assert "fashion" in kubectl("lockstep", "list", "-n", kube.namespace)
    assert kubectl("__complete", "lockstep", "desc").splitlines()[0] == "describe"
    assert "fashion" in kubectl("__complete", "lockstep", "describe", "-n", kube.namespace, "f").splitlines()
    script = subprocess.run([str(PROGRAM), "completion", "bash"], text=True, capture_output=True, check=True).stdout
    (tmp_path / "completion").write_text(script)
    bash = ("source completion; COMP_WORDS=(kubectl-lockstep resu); COMP_CWORD=1; _kubectl_lockstep; "
            "printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "-c", bash], cwd=tmp_path, env=env, text=True, capture_output=True, check=True)
    assert done.stdout.split() == ["resume"]


def test_top_shows_the_nodes_progress_and_survives_hostile_pages(kube, kubelet, tmp_path):
    """The API server has no way to the made-up nodes, so a kubectl in front of the real one answers for them."""
    kube.apply(training_job("busy", numNodes=2, image="x"))
    kubelet.run("busy", nodes=2)
    pages = {
        "busy-0": {"schema": 1, "nodeRank": 0, "progress": {"rank": 0, "phase": "step", "step": 120, "steps": 900, "loss": 0.42,
                   "samplesPerSecond": 5100, "secondsRemaining": 190, "dataWait": 0.03, "commWait": 0.4},
                   "slowest": {"rank": 0, "running": True, "phase": "step", "step": 120, "secondsSinceProgress": 0.5}},
        "busy-1": {"schema": 1, "nodeRank": 1, "progress": {"rank": 1, "phase": "data", "step": 118, "dataWait": 0.5},
                   "slowest": {"rank": 1, "running": True, "phase": "data", "step": 118, "secondsSinceProgress": 12.2}}}
    stand_in = tmp_path / "kubectl"
    stand_in.write_text(f"""#!/bin/sh
for word; do case "$word" in */pods/*:9790/proxy/progress)
  pod=${{word##*/pods/}}; cat "{tmp_path}/${{pod%%:*}}"; exit;; esac; done
exec {BIN}/kubectl "$@"
""")
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    plugin = Plugin(kube, KUBECTL=str(stand_in))
    for pod, page in pages.items():
        (tmp_path / pod).write_text(json.dumps(page))
    row = table(plugin("top", "--once"))["busy"]
    assert row == {"NAME": "busy", "STATE": "Running", "STEP": "120/900", "DONE": "13%", "SAMPLES/S": "5.1k", "LOSS": "0.42",
                   "DATA-WAIT": "50%", "COMM-WAIT": "40%", "ETA": "3m10s",
                   "SLOWEST": "rank 1 on node 1: step 118 (data), silent for 12s"}
    hostile = ["", "[" * 60000, "x" * 10_000_000, '{"schema": 1, "progress": {"step": -1, "loss": 1e999}}', '{"schema": 2}',
               '{"schema": 1, "nodeRank": 1, "slowest": {"rank": 9999999, "phase": "\\u001b[2J", "step": 1}}']
    for page in hostile:
        (tmp_path / "busy-1").write_text(page)
        text = plugin("top", "--once")
        row = table(text)["busy"]
        assert row["STEP"] == "120/900" and row["SLOWEST"].startswith("rank 0 on node 0") and "\x1b" not in text, page[:60]


def test_logs_that_are_gone_and_where_a_copy_is(kube, kubelet, plugin):
    kube.apply(training_job("told", image="x", checkpoints={"claimName": "runs"}))
    kubelet.run("told")
    kubelet.exit("told-0", 1)
    kubelet.run("told", attempt=2)
    said = plugin("logs", "told", "--attempt", "1", code=1)
    assert "the pods of attempt 1 are gone" in said and "$CHECKPOINT_DIR/logs/attempt-1" in said
    assert "told/logs/attempt-1 of the claim runs" in said
    assert "there is no attempt 7 yet" in plugin("logs", "told", "--attempt", "7", code=1)
    assert "there is no node 4: nodes count from 0 to 0" in plugin("logs", "told", "--node", "4", code=1)
