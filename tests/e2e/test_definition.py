"""The TrainingJob definition against a real API server: made by its scripts, merged by key, right about good and bad jobs."""
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from conftest import drop_namespace, fresh_namespace
from kube import BIN, ROOT, Kube, training_job
from rendering import environment, rendered, single

SCRIPTS = ROOT / "charts" / "crd"
DEFINITION = ROOT / "charts" / "lockstep" / "templates" / "crd.yaml"
MANIFESTS = Path(__file__).resolve().parents[1] / "manifests"


@pytest.fixture(scope="module")
def kube(api_server):
    inside = fresh_namespace(api_server, "definition")
    yield inside
    drop_namespace(inside)


def manifests(kind):
    found = sorted((MANIFESTS / kind).glob("*.yaml"))
    assert found, f"no manifests in tests/manifests/{kind}"
    return found


def printed(script, stdin=""):
    """What the script would write into its file."""
    return subprocess.run([SCRIPTS / script, "--output", "-"], input=stdin, text=True, capture_output=True, check=True).stdout


def try_last(kube, text):
    """Creates all documents of a manifest but the last, which is only tried; so two documents show a change of one job."""
    *before, last = text.split("\n---\n")
    for document in before:
        kube.kubectl("apply", "-f", "-", stdin=document)
    return kube.kubectl("apply", "--dry-run=server", "-f", "-", stdin=last, check=False)


def test_the_definition_is_what_its_script_makes(kube):
    assert printed("generate", kube.kubectl("get", "--raw", "/openapi/v3/api/v1").stdout) == DEFINITION.read_text()


def test_the_field_reference_is_what_its_script_makes():
    assert printed("document") == (ROOT / "docs" / "api.md").read_text()


def test_client_side_apply_can_keep_the_definition(kube):
    """It keeps the whole object in an annotation, of which the API server bounds the size."""
    kube.kubectl("apply", "--dry-run=server", "-f", str(DEFINITION))


def test_two_who_apply_one_job_keep_their_items_of_its_lists_apart(kube):
    """spec.env and mounts are fixed, so the second can only share items there; in the template of a suspended job it adds."""
    def apply(manager, variables, added):
        env = [{"name": name, "value": "1"} for name in variables]
        containers = [{"name": "trainer", "env": [{"name": name, "value": manager} for name in added]}]
        job = training_job("shared", env=env, mounts=[{"path": f"/{name}", "claimName": "data"} for name in variables],
                           template={"spec": {"containers": containers}}, runPolicy={"suspend": True})
        kube.kubectl("apply", "--server-side", f"--field-manager={manager}", "-f", "-", stdin=json.dumps(job))

    def names():
        spec = kube.job("shared")["spec"]
        return [[item["name"] for item in items] for items in (spec["env"], spec["template"]["spec"]["containers"][0]["env"])]

    apply("platform", ["A", "B"], added=["P"])
    apply("team", ["B"], added=["T"])
    assert names() == [["A", "B"], ["P", "T"]]
    apply("platform", ["A", "B"], added=["Q"])
    assert names() == [["A", "B"], ["T", "Q"]]


@pytest.mark.parametrize("path", manifests("bad"), ids=lambda p: p.stem)
def test_a_mistaken_manifest_is_refused_with_help(kube, path):
    text = path.read_text()
    expected = re.match(r"# expect: (.+)", text).group(1)
    refused = try_last(kube, text)
    assert refused.returncode != 0, "the API server took it"
    assert expected in refused.stderr, refused.stderr


@pytest.mark.parametrize("path", manifests("good"), ids=lambda p: p.stem)
def test_a_good_manifest_is_taken(kube, path):
    taken = try_last(kube, path.read_text())
    assert taken.returncode == 0, taken.stderr


@pytest.mark.parametrize("path", manifests("invalid"), ids=lambda p: p.stem)
def test_what_the_definition_cannot_see_is_taken(kube, path):
    """The operator refuses it: test_a_job_that_breaks_a_rule_of_the_operator_is_left_as_it_is in test_api.py."""
    assert try_last(kube, path.read_text()).returncode == 0


@pytest.fixture(scope="module")
def lenient(api_server):
    """A namespace without Pod Security, with what the good manifests name."""
    urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 1}
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "rendered"}}
    api_server.apply(urgent, space)
    yield Kube(api_server.kubeconfig, "rendered")
    api_server.kubectl("delete", "priorityclass/urgent", "namespace/rendered", "--wait=false")


def sample(objects):
    """All objects of a small job; of a large one its first and last pods. Nothing that the cluster does not serve."""
    served = [o for o in objects if o["kind"] not in ("PodGroup", "Workload")]
    return served if len(served) < 12 else served[:6] + served[-6:]


@pytest.mark.parametrize("path", [path for kind in ("good", "render") for path, _ in single(kind)],
                         ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_a_job_is_rendered_to_is_taken(lenient, path):
    objects = sample(rendered("-f", path, "-n", lenient.namespace))
    many = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    lenient.kubectl("apply", "--dry-run=server", "-f", "-", stdin=many)


PAGE = (ROOT / "docs" / "operating.md").read_text()


def restricted_job():
    """The job that the page shows for namespaces with Pod Security `restricted`."""
    block = re.search(r"\*\*Pod Security\.\*\*.+?```yaml\n(.+?)```", PAGE, re.DOTALL).group(1)
    return yaml.safe_load(block)


def refusal(kube, job):
    """The API server's words for the job's first pod in a namespace where `restricted` is enforced; empty: it takes it."""
    pod = next(o for o in rendered("-f", "-", "-n", kube.namespace, text=json.dumps(job)) if o["kind"] == "Pod")
    return kube.kubectl("apply", "--dry-run=server", "-f", "-", stdin=json.dumps(pod), check=False).stderr


def test_our_own_image_needs_nothing_under_pod_security(kube):
    assert not refusal(kube, training_job("own"))


@pytest.mark.parametrize("launcher", ["FromImage", "Inject"])
def test_a_foreign_image_under_pod_security_needs_what_the_page_says(kube, launcher):
    job = restricted_job()
    job["spec"]["launcher"] = launcher
    assert not refusal(kube, job)
    own = job["spec"].pop("template")["spec"]
    bare = refusal(kube, job)
    for field in ("runAsNonRoot", "seccompProfile", "allowPrivilegeEscalation", "capabilities"):
        assert field in str(own) and field in bare
    assert "lockstep-launcher" not in bare


WORDS = """
    yes No on OFF y n True tRue ~ null Null nuLL 0 -0 +5 05 0777 08 0o14 0x1F -0x1F 0b101 0b2 1_000 1__0 _1 1_ 1.0 1.5 -1.5 +1.5
    .5 -.5 5. 1e3 1E3 1.5e+3 1e-3 12e03 1.0e+21 1e+400 9223372036854775807 inf nan 1:30 12:30:45 2001-01-01 2001-01-01T00:00:00Z
    = 500m 64Gi 1.2.3 10.0.0.1 0.1 0.30000000000000004 1_0.5 4096.0 -0.0 'yes' "8" """.split()


def test_render_reads_yaml_as_kubectl_does():
    """kubectl resolves words, keys and merged maps by itself, without a server."""
    text = f"""
apiVersion: lockstep.dev/v1alpha1
kind: TrainingJob
metadata: {{name: words}}
spec:
  config:
    words: [{', '.join(WORDS)}, !!str 1, !!int "7"]
    base: &base {{a: 1, b: 2}}
    maps: [{{<<: *base, a: 2}}, {{a: 2, <<: *base}}, {{<<: [*base, {{a: 3, c: 4}}]}}, {{yes: a, 1: b, 1.5: c}}]
    literal: |
      a
       b

    folded: >-
      a
      b
"""
    local = subprocess.run([BIN / "kubectl", "annotate", "--local", "-f", "-", "-o", "json", "a=b"], input=text, text=True,
                           capture_output=True, check=True)
    pod = rendered("-f", "-", text=text)[-1]
    assert json.loads(environment(pod)["LOCKSTEP_CONFIG"]) == json.loads(local.stdout)["spec"]["config"]
