"""The examples of the pages run and print what they say; docs/inference.md has a test of its own."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
# and fewest examples of each
PAGES = {
    "consensus.md": 10,
    "constraints.md": 15,
    "databases.md": 6,
    "decisions.md": 9,
    "explain.md": 15,
    "groups.md": 6,
    "guide.md": 3,
    "ordinal.md": 10,
    "refresh.md": 10,
    "top.md": 20,
}


def test_all_pages_with_examples_are_listed() -> None:
    found = {page.name for page in DOCS.glob("*.md") if ">>>" in page.read_text()}
    assert found <= {*PAGES, "inference.md", "report.md"}


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str) -> None:
    outcome = doctest.testfile(str(DOCS / page), module_relative=False)
    assert outcome.attempted > PAGES[page]
    assert outcome.failed == 0
