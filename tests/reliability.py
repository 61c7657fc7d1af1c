#!/usr/bin/python3
"""Checks the tables of docs/reliability.md against the tests that exist. Run by ctest as `reliability`."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "reliability.md"
CASES = [f"T{number:02}" for number in range(1, 55)] + [f"R{number:02}" for number in range(1, 41)]
OPEN = ("not yet: ", "not in this version: ")  # how a row without tests says what happens
NO_MACHINE = "needs a GPU"  # what the level of such a row may be

# Where a test lives says at which level it shows its case; the longest prefix counts.
LEVELS = {
    "tests/operator/plan": "pure",
    "tests/operator/api": "pure",
    "tests/operator": "scripted server",
    **{f"tests/trainer/{room}": "pure" for room in ("config", "data", "ddp", "model", "optim", "plan", "train")},
    "tests/trainer": "processes",
    "tests/faults": "processes",
    "tests/parity": "processes",
    "tests/e2e": "real API server",
    "tests/e2e/test_training": "real node",
}
ORDER = list(dict.fromkeys(LEVELS.values()))


def level_of(path):
    return LEVELS[max((prefix for prefix in LEVELS if path.startswith(prefix)), key=len)]


def find_tests():
    """Name -> level of every test of ours: `Suite.Name` in C++, `test_name` in Python."""
    tests = {}
    for path in (ROOT / "tests").rglob("*_test.cc"):
        for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", path.read_text(), re.M):
            tests[f"{suite}.{name}"] = level_of(str(path.relative_to(ROOT)))
    for path in (path for room in ("e2e", "faults", "parity") for path in (ROOT / "tests" / room).glob("test_*.py")):
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.M):
            tests[name] = level_of(str(path.relative_to(ROOT)))
    return tests


def faults_of(text, tests):
    lines = re.findall(r"^\| [TR]\d\d.*$", text, re.M)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    if [row[0] for row in rows] != CASES:
        yield f"there must be one row for each of {CASES[0]}..{CASES[-1]}, in order"
    named = {}
    for case, *_, happens, shown, level in rows:
        names = re.findall(r"`([\w.]+)`", shown)
        named[case] = set(names)
        yield from (f"{case}: there is no test {name}" for name in names if name not in tests)
        if bool(names) == happens.startswith(OPEN):
            yield f"{case}: name a test, or begin with one of {OPEN}"
        levels = sorted({tests[name] for name in names if name in tests}, key=ORDER.index)
        if level != ", ".join(levels) and (names or level != NO_MACHINE):
            yield f"{case}: its tests are {', '.join(levels) or 'none'}, the table says {level or 'nothing'}"
    for name in tests:
        numbered = re.match(r"test_([tr]\d\d)_", name)
        if numbered and name not in named.get(numbered[1].upper(), ()):
            yield f"{name} is missing in the row of its case"


def main():
    text, tests = TABLE.read_text(), find_tests()
    faults = list(faults_of(text, tests))
    # The check itself must be able to fail: a row that is gone, a test that is not there, a level that is wrong.
    planted = [*(re.sub(rf"^\| {case}.*\n", "", text, flags=re.M) for case in ("T17", "R40")),
               text.replace("`test_t17_", "`test_x17_"), text.replace("real node", "pure")]
    if not tests or not all(set(faults_of(wrong, tests)) - set(faults) for wrong in planted):
        faults.append("the check did not find its own planted faults")
    print("\n".join(f"docs/reliability.md: {fault}" for fault in faults) or
          f"reliability: {len(CASES)} cases, every test named exists")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
