"""The report of a model: facts, HTML, and the file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..data.atomic import atomic_write
from .card_facts import card_facts
from .forest_facts import forest_facts
from .judged import judge
from .page import render
from .reasons_facts import reasons_facts
from .reported import reported
from .rows import read_rows
from .tree_facts import tree_facts

__all__ = ["report_facts", "report_html", "write_report"]


def report_facts(
    model: Any, X: Any, y: Any, *, sample_weight: Any = None, title: str | None = None, max_rows: int = 2000
) -> dict[str, Any]:
    """All data of the report, as a dict of plain values that can be written as JSON.

    Parameters
    ----------
    model, X, y, sample_weight, title, max_rows
        As in `write_report`.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> facts = report_facts(TreeRank(max_depth=2).fit(sample.X, sample.y), sample.X, sample.y)
    >>> facts["kind"], facts["n_rows"], facts["nodes"]["left"]
    ('tree', 500, [1, 2, -1, -1, 5, -1, -1])
    """
    fitted = reported(model)
    if isinstance(max_rows, bool) or not isinstance(max_rows, int) or max_rows < 0:
        raise ValueError(
            f"max_rows is {max_rows!r}; give the largest number of rows to include in the report, 0 for none."
        )
    rows = read_rows(fitted, X, y, sample_weight)
    one, card = fitted.one_tree(), fitted.one_card()
    if one is not None:
        facts = tree_facts(fitted, one, rows, max_rows=max_rows)
    elif card is not None:
        facts = card_facts(fitted, card, rows, with_cells=max_rows > 0)
    else:
        facts = forest_facts(fitted, judge(fitted, X, rows)) | {
            "reasons": reasons_facts(fitted, rows, max_rows=max_rows)
        }
    name = type(model).__name__
    return {**facts, "title": f"{name} report" if title is None else str(title)}


def report_html(
    model: Any, X: Any, y: Any, *, sample_weight: Any = None, title: str | None = None, max_rows: int = 2000
) -> str:
    """The report as HTML.

    Parameters
    ----------
    model, X, y, sample_weight, title, max_rows
        As in `write_report`.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> page = report_html(TreeRank(max_depth=2).fit(sample.X, sample.y), sample.X, sample.y, title="Two levels")
    >>> "<title>Two levels</title>" in page
    True
    """
    return render(report_facts(model, X, y, sample_weight=sample_weight, title=title, max_rows=max_rows))


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    sample_weight: Any = None,
    title: str | None = None,
    max_rows: int = 2000,
) -> Path:
    """Write the report of a fitted model: one HTML file that needs no network.

    Parameters
    ----------
    model : FittedModel
        A fitted model of two labels, such as TreeRank, RankingForest, RankBoost or RankConsensus.
    X : array, data frame or sparse matrix of shape (n, q)
        Rows for the evaluation; use rows that the model was not trained on. If they are the training rows of a forest
        or booster, its out-of-bag or held-out scores are used.
    y : array of shape (n,)
        Their labels.
    path : str or path
        The file to write. The write is atomic.
    sample_weight : array of shape (n,) or None
        Non-negative. Rows of weight 0 are left out.
    title : str or None
        Head of the page; None is the name of the model.
    max_rows : int
        Most rows of X whose values the report contains; with 0 it contains no rows. Those of a tree can be traced
        through it. The report of a forest, boosting or a consensus explains at most 60 rows and each two of them, and
        shows contributions against single features for at most 200. The report of a scorecard contains the number of
        rows of every combination of steps, so that points can be changed in the page; with 0 it does not.

    Returns
    -------
    Path
        Where the file is.

    Examples
    --------
    >>> import tempfile
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> model = TreeRank(max_depth=2).fit(sample.X, sample.y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(model, sample.X, sample.y, f"{folder}/report.html").name
    'report.html'
    """
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"path {str(target)!r} is a folder; give the name of a file in it, such as report.html.")
    if not target.parent.is_dir():
        raise ValueError(f"path {str(target)!r} is in a folder that does not exist; make {str(target.parent)!r} first.")
    page = report_html(model, X, y, sample_weight=sample_weight, title=title, max_rows=max_rows)
    atomic_write(target, page)
    return target
