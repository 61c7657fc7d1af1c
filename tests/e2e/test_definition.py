"""The TrainingJob definition against a real API server: made by its scripts, merged by key, right about good and bad jobs."""
import json
import re
import subprocess
from pathlib import Path

import pytest

from conftest import drop_namespace, fresh_namespace
from kube import ROOT, training_job

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
