"""The report of a model: facts, HTML, and the file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..data.atomic import atomic_write
from ..estimators.fitted_model import FittedModel
from .about import about_facts, event_name
from .card_facts import card_facts
from .drift_facts import drift_facts
from .evaluation import evaluation_facts
from .features import plain_label, top_share
from .forest_facts import forest_facts
from .groups import group_facts, read_groups
from .judged import Judged, judge
from .ordinal_facts import ordinal_facts
from .page import render
from .reasons_facts import reasons_facts
from .reported import reported
from .rows import Rows, read_rows, rows_to_show
from .sides import side_facts
from .tree_facts import tree_facts

__all__ = ["report_facts", "report_html", "write_report"]


def report_facts(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    title: str | None = None,
    max_rows: int = 0,
    by: Any = None,
    train: tuple[Any, ...] | None = None,
    target: str | None = None,
    data: str | None = None,
    train_data: str | None = None,
) -> dict[str, Any]:
    """All data of the report, as a dict of plain values that can be written as JSON.

    Parameters
    ----------
    model, X, y, sample_weight, title, max_rows, by, train, target, data, train_data
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
    groups = read_groups(by, len(rows.labels))
    training = None if train is None else (train[0], read_rows(fitted, train[0], *_labels_of(train)))
    if fitted.ordered:
        if groups:
            raise ValueError(f"by is for two labels, and {type(model).__name__} ranks ordered ones; leave it out.")
        facts = ordinal_facts(fitted, X, rows, training, rows_to_show(fitted, X, rows, max_rows))
    else:
        facts = _of_two_labels(fitted, X, rows, training, groups, rows_to_show(fitted, X, rows, max_rows))
        facts["event"] = event_name(plain_label(fitted.pos_label_), target)
    name = type(model).__name__
    return {
        **facts,
        "about": about_facts(fitted, target=target, data=data, train=train_data),
        "title": f"{name} report" if title is None else str(title),
    }


def _labels_of(train: tuple[Any, ...]) -> tuple[Any, Any]:
    """Labels and weights of the training rows."""
    if not isinstance(train, tuple) or len(train) not in (2, 3):
        raise ValueError("train must be (X, y) or (X, y, sample_weight) of the training rows.")
    return train[1], train[2] if len(train) == 3 else None


def _of_two_labels(
    model: FittedModel, X: Any, rows: Rows, train: tuple[Any, Rows] | None, groups: dict[str, Any], shown: np.ndarray
) -> dict[str, Any]:
    """Facts of a model of two labels."""
    judged, u = judge(model, X, rows), top_share(model)
    one, card = model.one_tree(), model.one_card()
    if one is not None:
        facts = tree_facts(model, one, rows, shown=shown)
    elif card is not None:
        facts = card_facts(model, card, rows, shown)
    else:
        facts = forest_facts(model, judged)
    seen = facts["source"] in ("training", "held_out")
    of_training: Judged | None = None if train is None or seen else judge(model, *train)
    return facts | {
        "evaluation": facts["evaluation"] or evaluation_facts(judged, of_probability=one is not None),
        "sides": side_facts(model, judged, of_training, u=u, known_as_training=seen),
        "drift": None if seen else drift_facts(model, X),
        "groups": group_facts(judged, groups, u=u),
        "reasons": reasons_facts(model, rows, shown),
    }


def report_html(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    title: str | None = None,
    max_rows: int = 0,
    by: Any = None,
    train: tuple[Any, ...] | None = None,
    target: str | None = None,
    data: str | None = None,
    train_data: str | None = None,
) -> str:
    """The report as HTML.

    Parameters
    ----------
    model, X, y, sample_weight, title, max_rows, by, train, target, data, train_data
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
    return render(
        report_facts(
            model,
            X,
            y,
            sample_weight=sample_weight,
            title=title,
            max_rows=max_rows,
            by=by,
            train=train,
            target=target,
            data=data,
            train_data=train_data,
        )
    )


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str],
    *,
    sample_weight: Any = None,
    title: str | None = None,
    max_rows: int = 0,
    by: Any = None,
    train: tuple[Any, ...] | None = None,
    target: str | None = None,
    data: str | None = None,
    train_data: str | None = None,
) -> Path:
    """Write the report of a fitted model: one HTML file that needs no network.

    Parameters
    ----------
    model : FittedModel
        A fitted model, such as TreeRank, RankingForest, RankBoost, RankConsensus, RankScore or OrdinalRankingForest.
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
        Most rows of X that the report contains, evenly spaced in the list. With 0, the default, it contains counts,
        rates and quantiles only, and can be mailed. With rows, those of a tree can be traced through it, at most 60
        rows and each two of them are explained, contributions of at most 200 rows are drawn, and the points of a
        scorecard can be changed: the file then contains the steps of these rows, at most 50 000.
    by : array of shape (n,), or dict of name -> array, or None
        Columns whose groups get figures of their own. Numbers with many values are cut into quarters.
    train : (X, y) or (X, y, sample_weight), or None
        The training rows, for the figures of training and test side by side. Without them there are the figures that
        the model stores.
    target, data, train_data : str or None
        Name of the column of labels, and where the rows come from, for the head of the page.

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
    where = Path(path)
    if where.is_dir():
        raise ValueError(f"path {str(where)!r} is a folder; give the name of a file in it, such as report.html.")
    if not where.parent.is_dir():
        raise ValueError(f"path {str(where)!r} is in a folder that does not exist; make {str(where.parent)!r} first.")
    page = report_html(
        model, X, y, sample_weight=sample_weight, title=title, max_rows=max_rows, by=by, train=train, target=target,
        data=data, train_data=train_data,
    )  # fmt: skip
    atomic_write(where, page)
    return where
