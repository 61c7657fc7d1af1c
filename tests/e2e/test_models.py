"""The examples' models on the real node, for fewer steps: containers, pod network, real data of the trainer image."""
import re
from pathlib import Path

import pytest
import yaml

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = {"requests": {"cpu": "50m", "memory": "128Mi"}, "limits": {"memory": "2Gi"}}


def example(name, **train):
    """The TrainingJob of an example, without its claim and with these settings of section train."""
    job = next(d for d in yaml.safe_load_all((EXAMPLES / f"{name}.yaml").read_text()) if d["kind"] == "TrainingJob")
    job["spec"].pop("checkpoints", None)
    job["spec"]["resourcesPerNode"] = SMALL
    job["spec"]["config"]["train"] |= train
    job["spec"]["config"]["log"] = {"every_steps": 10}
    return job


# Accuracies that the first steps reach, above what always giving the most frequent answer has (0.1, 0.17, 0.08).
@pytest.mark.parametrize("name, train, least_accuracy", [
    ("resnet18", {"max_steps": 60}, 0.6),
    ("char-gpt", {"epochs": 2}, 0.22),
    ("text-classification", {"max_steps": 80}, 0.12)])
def test_an_example_learns_on_two_nodes(kube, name, train, least_accuracy):
    kube.apply(example(name, **train))
    status = kube.wait_phase(name, "Succeeded", "Failed", seconds=300)
    log = kube.logs(f"{name}-0")
    assert status["phase"] == "Succeeded", kube.picture() + log[-2000:]
    losses = [float(loss) for loss in re.findall(r"step \d+/\d+ loss ([0-9.]+)", log)]
    accuracy = float(re.findall(r"accuracy ([0-9.]+)", log)[-1])
    print(f"{name}: loss {losses[0]} -> {losses[-1]} in {len(losses)} lines, accuracy {accuracy}")
    assert losses[-1] < 0.95 * losses[0]
    assert accuracy >= least_accuracy
    assert status["progress"]["step"] == status["progress"]["steps"]
