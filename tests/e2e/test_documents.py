"""Every YAML block of the documents and every example, as a reader would use it.

A block marked `yaml` is what one applies: Kubernetes objects, which the API server has to take. A block marked `yaml config`
goes somewhere else, such as into spec.config or the chart's values. No other block holds YAML.
"""
import re
from typing import NamedTuple

import pytest
import yaml

from kube import ROOT

FENCED = re.compile(r"^```(?P<mark>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))


class Block(NamedTuple):
    """Text that begins in that line of that file."""
    where: str
    mark: str
    text: str


def block(path, whole, start, mark, text):
    return Block(f"{path.relative_to(ROOT)}:{whole.count(chr(10), 0, start) + 1}", mark, text)


def blocks_of_pages():
    for path in PAGES:
        page = path.read_text()
        for found in FENCED.finditer(page):
            yield block(path, page, found.start("text"), found["mark"], found["text"])


def objects_of_examples():
    for path in EXAMPLES:
        whole = path.read_text()
        for found in re.finditer(r"(?:^---\n)?(?P<text>.+?)(?=^---$|\Z)", whole, re.MULTILINE | re.DOTALL):
            yield block(path, whole, found.start("text"), "yaml", found["text"])


BLOCKS = list(blocks_of_pages())


def each(blocks):
    return pytest.mark.parametrize("block", blocks, ids=lambda block: block.where)


@each([b for b in BLOCKS if b.mark == "yaml"] + list(objects_of_examples()))
def test_what_a_reader_would_apply_is_taken(api_server, block):
    taken = api_server.kubectl("apply", "--dry-run=server", "-f", "-", stdin=block.text, check=False)
    assert taken.returncode == 0, f"{block.where}: {taken.stderr}"


@each([b for b in BLOCKS if b.mark == "yaml config"])
def test_a_configuration_is_a_mapping_that_nobody_would_apply(block):
    config = yaml.safe_load(block.text)
    assert isinstance(config, dict) and "kind" not in config


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_block_of_a_page_is_missed(path):
    """Such as an indented one, or one that is never closed."""
    page = path.read_text()
    assert len(re.findall(r"^\s*(?:```|~~~)", page, re.MULTILINE)) == 2 * len(FENCED.findall(page))


@each([b for b in BLOCKS if b.mark not in ("yaml", "yaml config")])
def test_no_other_block_holds_yaml(block):
    assert not re.match(r"ya?ml|json", block.mark), "mark it yaml or yaml config"
    assert not re.search(r"^\s*(apiVersion|kind):", block.text, re.MULTILINE), "mark it yaml"
