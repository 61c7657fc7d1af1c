"""`lockstep-operator render` as a function, and the manifests that it is tried on."""
import json
import re
import subprocess

from kube import ROOT

OPERATOR = ROOT / "build" / "dev" / "operator" / "lockstep-operator"
MANIFESTS = ROOT / "tests" / "manifests"


def render(*args, text=None):
    return subprocess.run([OPERATOR, "render", *map(str, args)], input=text, text=True, capture_output=True, check=False)


def rendered(*args, text=None):
    """The objects of the jobs in the manifest."""
    done = render(*args, "-o", "json", text=text)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["items"]


def single(kind):
    """(path, text) of the manifests of one document: two show a change, which render never sees."""
    read = [(path, path.read_text()) for path in sorted((MANIFESTS / kind).glob("*.yaml"))]
    return [(path, text) for path, text in read if "\n---\n" not in text]


def said(text, what):
    """The sentences of a manifest's first lines, such as `# expect: write another`."""
    return re.findall(rf"^# {what}: (.+)$", text, re.MULTILINE)


def trainer(pod):
    return next(c for c in pod["spec"]["containers"] if c["name"] == "trainer")


def environment(pod):
    """Of its trainer container."""
    return {e["name"]: e.get("value") for e in trainer(pod)["env"]}
