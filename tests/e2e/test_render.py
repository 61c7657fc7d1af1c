"""`lockstep-operator render` from outside: what jobs get, against a second implementation written from the documents."""
import json
import random
import re
import resource

import pytest
import yaml

from kube import ROOT
from reference_environment import ACCELERATORS, DEFAULT_PORT, HOST_PORTS, environments, nodes_of, part
from reference_objects import companions, launcher, mounts, workloads
from rendering import MANIFESTS, environment, render, rendered, said, single, trainer

RULES = ROOT / "charts" / "crd" / "trainingjob.yaml"
NO_UID = "00000000-0000-0000-0000-000000000000"
JOBS = sorted((MANIFESTS / "render").glob("*.yaml"))
LARGE = [path for path in JOBS if path.stem.startswith("most-nodes")]

# Rules of the definition that render cannot judge, since it reads no quantities.
OF_QUANTITIES = {"write requests no larger than limits", "write an amount such as 8, 500m or 64Gi", "write a quantity, such as 8Gi"}


class Job:
    """One manifest and what render makes of it."""

    def __init__(self, path):
        self.source = yaml.safe_load(path.read_text())
        self.uid = self.source["metadata"].get("uid", NO_UID)
        self.namespace = self.source["metadata"].get("namespace", "default")
        objects = rendered("-f", path)
        self.pods = [o for o in objects if o["kind"] == "Pod"]
        self.workloads = [o for o in objects if o["kind"] == "Workload"]
        self.others = [o for o in objects if o["kind"] not in ("Pod", "Workload")]

    @property
    def port(self):
        """As documented, or under hostNetwork as rendered for node 0: the document leaves the choice open."""
        asked = part(self.source, "spec", "masterPort")
        if asked or not part(self.source, "spec", "template", "spec", "hostNetwork"):
            return asked or DEFAULT_PORT
        return int(environment(self.pods[0])["MASTER_PORT"])


def containers(pod):
    return pod["spec"].get("initContainers", []) + pod["spec"]["containers"]


@pytest.fixture(scope="module", params=JOBS, ids=lambda path: path.stem)
def job(request):
    return Job(request.param)


def test_every_container_has_the_environment_of_the_documents(job):
    expected = environments(job.source, job.port, job.uid, job.namespace)
    assert [{c["name"]: c["env"] for c in containers(pod)} for pod in job.pods] == expected


def test_the_processes_of_all_pods_have_each_rank_once(job):
    """As a launcher or torchrun would number them from what its pod was told."""
    told = [environment(pod) for pod in job.pods]
    ranks = [int(t["LOCKSTEP_RANK_OFFSET"]) + i for t in told for i in range(int(t["NPROC_PER_NODE"]))]
    assert {t["WORLD_SIZE"] for t in told} == {str(len(ranks))} and sorted(ranks) == list(range(len(ranks)))
    assert [int(t["NODE_RANK"]) for t in told] == list(range(int(told[0]["NNODES"])))
    alone = [t for t in told if t["NPROC_PER_NODE"] == "1"]
    assert all(t["RANK"] == t["LOCKSTEP_RANK_OFFSET"] and t["LOCAL_RANK"] == "0" for t in alone)


def test_nodes_find_the_first_by_its_host_name(job):
    name = job.source["metadata"]["name"]
    expected = [f"{name}-{rank}" for rank in range(len(job.pods))]
    assert [p["metadata"]["name"] for p in job.pods] == expected == [p["spec"]["hostname"] for p in job.pods]
    assert {p["spec"]["subdomain"] for p in job.pods} == {name} == {o["metadata"]["name"] for o in job.others}
    declared = [[p.get("name") for p in trainer(pod).get("ports", [])] for pod in job.pods]
    assert declared[0] == ["lockstep-master"] and not any(declared[1:])
    assert trainer(job.pods[0])["ports"][0]["containerPort"] == int(environment(job.pods[0])["MASTER_PORT"])


def test_nodes_are_labelled_with_their_place(job):
    groups = [{"lockstep.dev/node-group": n.group["name"]} if "name" in n.group else {} for n in nodes_of(job.source)]
    users = part(job.source, "spec", "template", "metadata", "labels")
    for rank, (pod, group) in enumerate(zip(job.pods, groups, strict=True)):
        expected = {**users, "lockstep.dev/job-name": job.source["metadata"]["name"], "lockstep.dev/job-uid": job.uid,
                    "lockstep.dev/node-rank": str(rank), "lockstep.dev/attempt": "1", **group,
                    "app.kubernetes.io/managed-by": "lockstep-operator", "batch.kubernetes.io/job-completion-index": str(rank)}
        joined = pod["metadata"]["labels"].items() - expected.items()
        assert expected.items() <= pod["metadata"]["labels"].items()
        assert joined <= {("scheduling.x-k8s.io/pod-group", expected["lockstep.dev/job-name"])}


def test_the_other_objects_are_those_of_the_documents(job):
    assert job.others == companions(job.source, job.uid, job.namespace)


def test_a_queued_job_asks_for_all_its_nodes(job):
    for workload in job.workloads:  # a mark for the operator alone
        assert re.fullmatch("[0-9]+", workload["metadata"]["annotations"].pop("lockstep.dev/queue-request"))
        if not workload["metadata"]["annotations"]:
            del workload["metadata"]["annotations"]
    assert job.workloads == workloads(job.source, job.pods, job.uid, job.namespace)


def test_the_launcher_is_where_it_is_asked_for(job):
    asked = part(job.source, "spec", "launcher") == "Inject"
    own = {c["name"]: c for c in part(job.source, "spec", "template", "spec", "containers") or []}.get("trainer", {})
    command = job.source["spec"].get("command", own.get("command"))
    for pod in job.pods:
        first = {**pod["spec"].get("initContainers", [{}])[0]}
        first.pop("env", None)
        assert (first == launcher("lockstep/operator:0.1.0")) == asked
        assert trainer(pod).get("command") == (["/lockstep/lockstep-launch", "--", *command] if asked else command)
        assert trainer(pod).get("args") == job.source["spec"].get("args", own.get("args"))


def test_the_trainer_has_its_volumes(job):
    for pod in job.pods:
        volumes = {v["name"]: {k: v[k] for k in v if k != "name"} for v in pod["spec"].get("volumes") or []}
        ours = {m["mountPath"]: ({k: m[k] for k in m if k not in ("name", "mountPath")}, volumes[m["name"]])
                for m in trainer(pod).get("volumeMounts", []) if m["name"].startswith("lockstep-")}
        assert ours == mounts(job.source)


def test_under_host_network_each_job_has_a_port_of_its_own():
    one, other = (Job(MANIFESTS / "render" / f"{name}.yaml").port for name in ("host-network", "host-network-of-another-job"))
    assert one != other and {one, other} <= set(HOST_PORTS)


@pytest.mark.parametrize("path", LARGE, ids=lambda path: path.stem)
def test_the_largest_job_takes_no_time(path):
    """Of the processor; less than 5 seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert render("-f", path).returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 5


@pytest.mark.parametrize("path", [p for p in JOBS if p not in LARGE], ids=lambda path: path.stem)
def test_both_outputs_say_the_same(path):
    as_yaml = render("-f", path).stdout
    assert list(yaml.safe_load_all(as_yaml)) == rendered("-f", path)


# Readers of YAML take words of these for something else.
PIECES = ["yes", "no", "~", "1:30", "0o7", "012", "1e3", ".5", "_", "2026-01-01", "=", "<<", ": ", " #", "\n", "\t", "'", '"',
          "\\", "{", "[", "&", "*", "- ", "é", "😀", "\u2028", "\x85", "\x7f", "x"]


def random_value(choose, depth=0):
    def word():
        return "".join(choose.choices(PIECES, k=choose.randrange(4)))

    kinds = [word, word, lambda: choose.choice([True, False, None]), lambda: choose.randrange(-10**6, 10**6),
             lambda: choose.uniform(-1, 1) * 10.0**choose.randrange(-30, 30)]
    if depth < 4:
        kinds += [lambda: {word(): random_value(choose, depth + 1) for _ in range(4)},
                  lambda: [random_value(choose, depth + 1) for _ in range(3)]]
    return choose.choice(kinds)()


@pytest.mark.parametrize("seed", range(20))
def test_any_value_comes_through_both_outputs(seed):
    """In annotations as text, in the configuration as a value, and where the template passes through."""
    choose = random.Random(seed)
    config = {"any": [random_value(choose) for _ in range(10)]}
    text = json.dumps({"apiVersion": "lockstep.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": "any"},
                       "spec": {"config": config, "template": {"spec": {"affinity": {"config": config}}}}})
    pods = [next(o for o in objects if o["kind"] == "Pod") for objects in (
        rendered("-f", "-", text=text), yaml.safe_load_all(render("-f", "-", text=text).stdout))]
    assert pods[0] == pods[1] and pods[0]["spec"]["affinity"]["config"] == config
    assert json.loads(environment(pods[0])["LOCKSTEP_CONFIG"].replace("$$", "$")) == config


def sentences(node):
    """Everything that a rule of the definition says to the user."""
    if isinstance(node, list):
        return {s for child in node for s in sentences(child)}
    if not isinstance(node, dict):
        return set()
    fixed = [node["message"]] if isinstance(node.get("message"), str) else []
    spoken = re.findall(r"'([^']+)'", node.get("messageExpression", ""))
    return {*fixed, *spoken} | {s for child in node.values() for s in sentences(child)}


def broken_rules():
    """(path, what the API server is expected to say) of manifests that break a rule of the definition."""
    rules = sentences(yaml.safe_load(RULES.read_text()))
    for path, text in single("bad"):
        expected = re.match(r"# expect: (.+)", text).group(1)
        if any(expected in rule or rule in expected for rule in rules):
            yield path, expected


def is_of_quantities(expected):
    return any(expected in rule for rule in OF_QUANTITIES)


@pytest.mark.parametrize("path, expected", [pytest.param(p, e, id=p.stem) for p, e in broken_rules() if not is_of_quantities(e)])
def test_a_broken_rule_is_refused_in_the_words_of_the_api_server(path, expected):
    done = render("-f", path)
    assert done.returncode == 64 and not done.stdout
    assert expected in done.stderr


@pytest.mark.parametrize("path, text", [pytest.param(p, t, id=p.stem) for p, t in single("invalid")])
def test_what_the_definition_cannot_see_is_refused_too(path, text):
    done = render("-f", path)
    assert done.returncode == 64 and not done.stdout
    assert said(text, "expect")[0] in done.stderr


@pytest.mark.parametrize("path, text", [pytest.param(p, t, id=p.stem) for p, t in single("render") if said(t, "warns")])
def test_what_may_be_a_mistake_is_rendered_with_a_warning(path, text):
    done = render("-f", path)
    assert done.returncode == 0
    assert all(f": warning: {sentence}\n" in done.stderr for sentence in said(text, "warns"))


def test_a_job_without_doubts_is_rendered_in_silence():
    done = render("-f", MANIFESTS / "render" / "queued.yaml")
    assert (done.returncode, done.stderr) == (0, "")


def test_each_fault_of_each_job_has_a_line_of_its_own():
    jobs = [{"apiVersion": "lockstep.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": name}, "spec": spec} for name, spec in (
        ("one", {"numNodes": 0, "masterPort": 9790, "env": [{"name": "RANK"}]}), ("two", {}),
        ("three", {"mounts": [{"claimName": "A", "path": "a"}]}))]
    done = render("-f", "-", text=yaml.safe_dump_all(jobs))
    assert done.returncode == 64 and not done.stdout
    assert [line for line in done.stderr.splitlines() if ": warning: " not in line] == [
        f"lockstep-operator render: -: {line}" for line in (
            "one: spec.numNodes is 0: write a whole number from 1 to 4096",
            "one: spec.env: RANK is set by the operator on every node, so remove it from env",
            "one: spec.masterPort: port 9790 serves the progress report, so write another",
            "three: spec.mounts[].claimName: write the name of a claim in the job's namespace, of lower-case letters, digits, '-' and '.'",
            "three: spec.mounts[].path: write an absolute path, such as /data, without a colon and without a slash at its end")]


@pytest.mark.parametrize("path", [pytest.param(p, id=p.stem) for p, e in broken_rules() if is_of_quantities(e)])
def test_quantities_are_left_to_the_api_server(path):
    """Once render judges one, its rule has to leave OF_QUANTITIES."""
    assert render("-f", path).returncode == 0


def test_the_rules_that_render_leaves_to_the_api_server_exist():
    assert OF_QUANTITIES <= sentences(yaml.safe_load(RULES.read_text()))


@pytest.mark.parametrize("path", [path for path, _ in single("good")], ids=lambda path: path.stem)
def test_a_good_manifest_is_rendered(path):
    assert [o["kind"] for o in rendered("-f", path)].count("Pod") == len(nodes_of(yaml.safe_load(path.read_text())))


@pytest.mark.parametrize("text, sentence", [
    ("kind: TrainJob", "there is no TrainingJob of lockstep.dev/v1alpha1 in it"),
    ("", "there is no TrainingJob of lockstep.dev/v1alpha1 in it"),
    ("a: [", "line 1"),
    ("a: 1\na: 2", "line 2, column 1: a stands twice"),
    ("apiVersion: lockstep.dev/v1\nkind: TrainingJob\nmetadata: {name: a}\nspec: {}", "of lockstep.dev/v1alpha1 in it"),
    ("apiVersion: lockstep.dev/v1alpha1\nkind: TrainingJob\nmetadata: {name: a}", "spec is null: write an object"),
    ("apiVersion: lockstep.dev/v1alpha1\nkind: TrainingJob\nspec: {}", "metadata.name: write a name")])
def test_what_is_no_job_is_refused_with_help(text, sentence):
    done = render("-f", "-", text=text)
    assert done.returncode == 64 and sentence in done.stderr and not done.stdout


def test_the_jobs_of_a_list_and_of_several_documents_are_rendered():
    one, two = ({"apiVersion": "lockstep.dev/v1alpha1", "kind": "TrainingJob", "metadata": {"name": n}, "spec": {}} for n in "ab")
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}}
    for text in (json.dumps({"apiVersion": "v1", "kind": "List", "items": [claim, one, two]}),
                 yaml.safe_dump_all([one, claim, two])):
        assert [o["metadata"]["name"] for o in rendered("-f", "-", text=text) if o["kind"] == "Pod"] == ["a-0", "b-0"]


def test_flags_say_what_the_operator_would_know():
    text = (MANIFESTS / "render" / "auto-of-an-unknown-device.yaml").read_text()
    pods = [o for o in rendered("-f", "-", "-n", "vision", "--trainer-image=example/ours:7", "--accelerator=example.com/gpu",
                                text=text) if o["kind"] == "Pod"]
    assert {(trainer(p)["image"], environment(p)["WORLD_SIZE"], p["metadata"]["namespace"]) for p in pods} == {
        ("example/ours:7", "16", "vision")}


def test_integrations_say_what_is_installed():
    path = MANIFESTS / "render" / "queued.yaml"

    def kinds(*args):
        return {o["kind"] for o in rendered("-f", path, *args)} & {"PodGroup", "Workload"}

    assert kinds() == {"PodGroup", "Workload"} and kinds("--integration=kueue") == {"Workload"}
    assert kinds("--integration", "volcano", "--integration", "native") == {"PodGroup"}
    assert "warning: schedulingPolicy.gang is Native, but" in render("-f", path, "--integration=kueue").stderr


def test_the_image_of_the_launcher_may_be_anothers():
    pods = rendered("-f", MANIFESTS / "render" / "launcher.yaml", "--launcher-image=example/ours:7")
    assert {p["spec"]["initContainers"][0]["image"] for p in pods if p["kind"] == "Pod"} == {"example/ours:7"}


@pytest.mark.parametrize("args", [[], ["-f", "missing.yaml"], ["-f", "-", "-o", "xml"], ["-f", "-", "--bad"],
                                  ["-f", "-", "--integration=kueues"]], ids=" ".join)
def test_a_wrong_call_is_an_error_of_usage(args):
    done = render(*args, text="")
    assert done.returncode == 64 and done.stderr.startswith("lockstep-operator render: ") and done.stderr.count("\n") == 1


def test_the_page_shows_what_render_prints():
    page = (ROOT / "docs" / "operating.md").read_text()
    manifest, shown = re.search(r"```yaml\n(.+?)```\n\n```\n\$ .* render -f - < job.yaml\n(.+?)```", page, re.DOTALL).groups()
    pieces = [piece for piece in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE) if piece]
    printed = render("-f", "-", text=manifest).stdout
    assert len(pieces) == 3 and all(piece in printed for piece in pieces)


def test_the_page_lists_the_accelerators():
    assert all(f"`{name}`" in (ROOT / "docs" / "api.md").read_text() for name in ACCELERATORS)
