"""The code of the pages runs, in the order of each page, and prints what it says; inference.md has its own test."""

import doctest
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from page_setups import ELSEWHERE, PLACES, SETUPS

DOCS = Path(__file__).parents[2] / "docs"
# and fewest examples at the prompt of each; the other blocks run without a look at what they print
PAGES = {
    "boosting.md": 0,
    "coming-from/lightgbm.md": 5,
    "coming-from/optbinning.md": 5,
    "coming-from/proc.md": 5,
    "coming-from/r-treerank.md": 4,
    "coming-from/scikit-learn.md": 5,
    "consensus.md": 10,
    "constraints.md": 15,
    "dask.md": 0,
    "databases.md": 6,
    "decisions.md": 9,
    "explain.md": 15,
    "export.md": 0,
    "forest.md": 0,
    "get-started.md": 15,
    "groups.md": 6,
    "guide.md": 3,
    "index.md": 5,
    "model-files.md": 0,
    "ordinal.md": 10,
    "refresh.md": 10,
    "scorecard.md": 0,
    "streams.md": 0,
    "top.md": 20,
    "tutorials/compare.md": 10,
    "tutorials/credit.md": 10,
    "tutorials/fraud.md": 10,
    "tutorials/monitoring.md": 10,
    "tutorials/recommendations.md": 10,
    "tutorials/screening.md": 10,
}
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_all_pages_with_code_are_listed() -> None:
    written = [page for page in DOCS.rglob("*.md") if not page.parent.name.startswith("auto_")]
    found = {page.relative_to(DOCS).as_posix() for page in written if BLOCK.search(page.read_text())}
    assert found - {"inference.md", "report.md"} == set(PAGES)


def can_run(code: str) -> bool:
    """Whether a test has the machines and the packages that a block asks for."""
    asked = re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
    return not any(name in code for name in ELSEWHERE) and all(importlib.util.find_spec(name) for name in asked)


def prompt(code: str, names: dict[str, object], page: str, line: int) -> doctest.TestResults:
    """What the examples at the prompt gave; the names that they bind are kept."""
    example = doctest.DocTestParser().get_doctest(code, names, page, str(DOCS / page), line)
    outcome = doctest.DocTestRunner().run(example, clear_globs=False)
    names.update(example.globs)
    return outcome


@pytest.mark.filterwarnings("ignore::RuntimeWarning:optbinning")  # the peer divides by zero on its own
@pytest.mark.parametrize("page", PAGES)
def test_code(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sklearn

    pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    np.random.seed(0)  # noqa: NPY002  models of a page have no seed of their own
    names = SETUPS.get(page, dict[str, object])()
    text, attempted = (DOCS / page).read_text(), 0
    with sklearn.config_context():  # what a page sets does not outlive it
        for found in BLOCK.finditer(text):
            code = found.group(1)
            if ">>>" in code:
                outcome = prompt(code, names, page, text[: found.start()].count("\n") + 1)
                assert outcome.failed == 0
                attempted += outcome.attempted
            elif can_run(code):
                for theirs, ours in PLACES.items():
                    code = code.replace(theirs, ours)
                exec(compile(code, page, "exec"), names)
    assert attempted >= PAGES[page]
