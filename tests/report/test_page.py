"""The file: complete or absent, self-contained, small; and the error without the template engine."""

from __future__ import annotations

import doctest
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from sklearn import config_context

from rankforest import LeafRank, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.report import page, report_html, write_report


@pytest.fixture(scope="module")
def sample() -> Any:
    return simulate.rf20(300, random_state=0)


@pytest.fixture(scope="module")
def model(sample: Any) -> TreeRank:
    return TreeRank(max_depth=3).fit(sample.X, sample.y)


def test_the_file_asks_nothing_of_a_network(model: TreeRank, sample: Any) -> None:
    html = report_html(model, sample.X, sample.y)
    assert re.search(r'<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;', html)
    for outside in ("http://", "https://", "src=", "@import", "url("):
        assert outside not in html.replace(page.__doc__ or "", "").replace('"http://www.w3.org/2000/svg"', "")


def test_every_part_is_in_the_package() -> None:
    folder = resources.files("rankforest.report")
    for kind, scripts in page._SCRIPTS.items():
        assert (folder / "templates" / f"{kind}.html.j2").is_file()
        assert all((folder / "static" / name).is_file() for name in scripts)
    used = {name for scripts in page._SCRIPTS.values() for name in scripts} | set(page._STYLE)
    assert {part.name for part in (folder / "static").iterdir()} == used


def test_writing_replaces_the_file_at_once(model: TreeRank, sample: Any, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")
    assert write_report(model, sample.X, sample.y, str(target), title="A & B") == target
    assert "<title>A &amp; B</title>" in target.read_text(encoding="utf-8")
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_a_failed_report_leaves_the_old_file(
    model: TreeRank, sample: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    target.write_text("before")
    with pytest.raises(ValueError, match="features"):
        write_report(model, sample.X[:, :3], sample.y, target)
    monkeypatch.setattr("os.replace", _fails)
    with pytest.raises(OSError, match="no room"):
        write_report(model, sample.X, sample.y, target)
    assert target.read_text() == "before"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    with pytest.raises(ValueError, match="is a folder"):
        write_report(model, sample.X, sample.y, tmp_path)
    with pytest.raises(ValueError, match="does not exist"):
        write_report(model, sample.X, sample.y, tmp_path / "nowhere" / "report.html")


def _fails(*_: Any) -> None:
    raise OSError("no room")


def test_half_a_letter_does_not_break_the_file(model: TreeRank, sample: Any, tmp_path: Path) -> None:
    write_report(model, sample.X, sample.y, tmp_path / "report.html", title="half \ud83d of a letter")
    assert "half ? of a letter" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.script_json("\ud83d") == '"\\ud83d"'


def test_without_jinja_there_is_a_sentence_and_scikit_learns_view(
    model: TreeRank, sample: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    page._environment.cache_clear()
    with pytest.raises(ImportError, match=r'pip install "rankforest\[report\]"'):
        report_html(model, sample.X, sample.y)
    assert "sk-top-container" in model._repr_html_()
    assert "sk-top-container" in model._repr_mimebundle_()["text/html"]


def test_notebooks_show_unfitted_models_as_scikit_learn_does(sample: Any) -> None:
    for model in (TreeRank(), RankingForest(5)):
        assert "sk-top-container" in model._repr_html_()
        with config_context(display="text"):
            assert "text/html" not in model._repr_mimebundle_()
            assert not hasattr(model, "_repr_html_")


def test_a_large_tree_is_folded_in_a_notebook() -> None:
    big = simulate.rf20(2000, random_state=0)
    model = TreeRank(LeafRank(max_depth=1), max_depth=None, max_leaf_nodes=150).fit(big.X, big.y)
    assert model.tree_.n_leaves == 150
    view = model._repr_html_()
    assert view.startswith("<iframe")
    assert len(view) < 200_000
    shown = re.search(r"this view shows a subtree of (\d+) on its pruning path", view)
    assert shown is not None
    assert int(shown[1]) <= 64


def test_the_examples_of_the_page_about_reports_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = doctest.testfile(str(Path(__file__).parents[2] / "docs" / "report.md"), module_relative=False)
    assert outcome.attempted > 4
    assert outcome.failed == 0
    assert (tmp_path / "report.html").exists()
