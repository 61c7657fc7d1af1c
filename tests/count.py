#!/usr/bin/python3
"""Adds up JUnit files into one table and the closing line 'N passed, N failed, N skipped'; fails when nothing ran."""
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def counts(path):
    """(passed, failed, skipped) of one JUnit file; a disabled or not-run test counts as skipped."""
    cases = list(ET.parse(path).getroot().iter("testcase"))
    failed = sum(1 for c in cases if c.find("failure") is not None or c.find("error") is not None)
    skipped = sum(1 for c in cases if c.find("skipped") is not None or c.get("status") in ("disabled", "notrun"))
    return len(cases) - failed - skipped, failed, skipped


def main(paths):
    total = [0, 0, 0]
    print(f"\n{'suite':<12}{'passed':>8}{'failed':>8}{'skipped':>8}")
    for path in paths:
        row = counts(path)
        total = [a + b for a, b in zip(total, row)]
        print(f"{Path(path).stem:<12}{row[0]:>8}{row[1]:>8}{row[2]:>8}")
    print("\n{} passed, {} failed, {} skipped".format(*total))
    return 0 if total[0] and not total[1] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
