"""Puts what a measurement printed into docs/performance.md, between the marks of its script."""
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "performance.md"
END = "<!-- end -->\n"


def write(script, lines):
    """Replaces what stands between `<!-- tests/bench/SCRIPT -->` and the next `<!-- end -->`."""
    begin = f"<!-- tests/bench/{script} -->\n"
    head, rest = DOCUMENT.read_text().split(begin)
    DOCUMENT.write_text(head + begin + "\n".join(lines) + "\n" + END + rest.split(END, 1)[1])
