"""The examples of the page about inference run and print what they say."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "inference.md"


def test_examples() -> None:
    text = PAGE.read_text()
    names: dict[str, object] = {}
    example = doctest.DocTestParser().get_doctest(text, names, "inference.md", str(PAGE), 0)
    outcome = doctest.DocTestRunner().run(example, clear_globs=False)
    assert outcome.attempted > 10
    assert outcome.failed == 0
    shown = re.search(r"```text\n(.*?)\n```", text, re.DOTALL)
    assert shown is not None
    assert shown.group(1) == str(example.globs["table"])
