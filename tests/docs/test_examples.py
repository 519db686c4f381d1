"""The examples of the pages run and print what they say; docs/inference.md has a test of its own."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
# and fewest examples of each
PAGES = {
    "coming-from/lightgbm.md": 5,
    "coming-from/optbinning.md": 5,
    "coming-from/proc.md": 5,
    "coming-from/r-treerank.md": 5,
    "coming-from/scikit-learn.md": 5,
    "consensus.md": 10,
    "constraints.md": 15,
    "databases.md": 6,
    "decisions.md": 9,
    "explain.md": 15,
    "get-started.md": 15,
    "groups.md": 6,
    "guide.md": 3,
    "index.md": 5,
    "ordinal.md": 10,
    "refresh.md": 10,
    "top.md": 20,
    "tutorials/compare.md": 10,
    "tutorials/credit.md": 10,
    "tutorials/fraud.md": 10,
    "tutorials/monitoring.md": 10,
    "tutorials/recommendations.md": 10,
    "tutorials/screening.md": 10,
}


def test_all_pages_with_examples_are_listed() -> None:
    written = [page for page in DOCS.rglob("*.md") if not page.parent.name.startswith("auto_")]
    found = {page.relative_to(DOCS).as_posix() for page in written if ">>>" in page.read_text()}
    assert found <= {*PAGES, "inference.md", "report.md"}


@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str) -> None:
    outcome = doctest.testfile(str(DOCS / page), module_relative=False)
    assert outcome.attempted > PAGES[page]
    assert outcome.failed == 0
