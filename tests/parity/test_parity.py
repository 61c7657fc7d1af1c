"""lockstep-train takes the steps that Python's DistributedDataParallel took when golden.json was written (tests/parity/run --write)."""
import json
from pathlib import Path

import cases
import pytest
from lockstep import by_lockstep

HERE = Path(__file__).resolve().parent
GOLDEN = json.loads((HERE / "golden.json").read_text())


@pytest.mark.parametrize("name", cases.CASES)
def test_every_loss_is_that_of_python(name, tmp_path):
    case = cases.case(name, HERE / "data")
    ours, python = by_lockstep(case, HERE / "data", tmp_path), GOLDEN[name]
    pairs = list(zip(ours["losses"], python["losses"], strict=True))
    print(f"{name}: {sum(a == b for a, b in pairs)} of {len(pairs)} losses equal to the last bit, "
          f"weights {'equal' if ours['weights_crc32'] == python['weights_crc32'] else 'not equal'} to the last bit")
    # Processors of another kind add the terms of a matrix product in another order, and training amplifies that.
    for step, (a, b) in enumerate(pairs):
        assert a == pytest.approx(b, rel=1e-5 if step < 20 else 1e-3, abs=1e-5), f"step {step + 1}"


def test_cases_differ_from_each_other():
    """Else equality would say nothing about the optimizers."""
    courses = [tuple(GOLDEN[name]["losses"][1:10]) for name in cases.CASES]
    assert len(set(courses)) == len(courses)
