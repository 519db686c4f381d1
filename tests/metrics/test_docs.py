"""The examples of the page about the top of the list run and print what they say."""

import doctest
from pathlib import Path


def test_examples() -> None:
    page = Path(__file__).parents[2] / "docs" / "top.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 20
    assert outcome.failed == 0
