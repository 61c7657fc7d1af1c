"""docs/training.md against the program: every setting is in a table as it is, and every example is taken."""
import re

import pytest

from kube import ROOT
from settings_of_trainer import defaults, explain, settings, values_text
from test_documents import BLOCKS, each

PAGE = ROOT / "docs" / "training.md"
ROW = re.compile(r"^\| (`[a-z]\w*(?:\.\w+)*`(?:, `[\w.]+`)*) \| `([^|]+)` \| ([^|]+) \| ([^|]*)\|", re.MULTILINE)


class Row:
    def __init__(self, default, values, shapes):
        self.default, self.values, self.shapes = default, values, shapes.strip()


@pytest.fixture(scope="module")
def rows():
    """Setting -> what the tables say of it."""
    lines = ROW.findall(PAGE.read_text())
    found = [(name.strip("`"), Row(*rest)) for names, *rest in lines for name in names.split(", ")]
    assert len(dict(found)) == len(found), "a setting has two rows"
    return dict(found)


@pytest.fixture(scope="module")
def printed():
    return defaults()


def test_the_tables_hold_every_setting_in_no_other_order(rows, printed):
    sections = [name.split(".")[0] for name in rows if "." in name]
    assert sorted(rows) == sorted(printed)
    assert list(dict.fromkeys(sections)) == list(dict.fromkeys(name.split(".")[0] for name in printed if "." in name))


def test_the_tables_tell_the_defaults_that_the_program_has(rows, printed):
    assert {name: row.default for name, row in rows.items()} == printed


def test_the_tables_tell_which_values_are_permitted(rows, printed):
    known = settings()
    assert set(known) == set(printed), "settings.h is read differently here than by the compiler"
    expected = {name: values_text(known[name], printed[name]) for name in rows}
    assert {name: row.values for name, row in rows.items()} == expected


def test_the_tables_tell_what_shapes_the_state(rows):
    expected = {name: "yes" if known.shapes else "" for name, known in settings().items()}
    assert {name: row.shapes for name, row in rows.items()} == expected


@each([b for b in BLOCKS if b.mark == "yaml config" and b.where.startswith(("docs/training.md", "docs/samplers.md"))])
def test_the_program_takes_each_example(tmp_path, block):
    (tmp_path / "config.yaml").write_text(block.text)
    done = explain("--config", tmp_path / "config.yaml")
    assert done.returncode == 0, f"{block.where}: {done.stderr}"
