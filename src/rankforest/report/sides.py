"""Training and test side by side: the same figures of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..metrics import auc_interval, ks_statistic, local_auc, relative_local_auc, roc_auc
from ..metrics.interval import Interval
from ..metrics.separation import gini_of
from ..tree.master_tree import MasterTree
from .judged import Judged, judge_at_fit

__all__ = ["side_facts"]

_HELD_OUT = {True: "out of bag", False: "held out"}
_TOO_GOOD = "too good"


def side_facts(
    model: FittedModel, judged: Judged, train: Judged | None, *, u: float, known_as_training: bool
) -> dict[str, Any]:
    """The figures of the rows of the report, and of the training rows as far as they are known.

    Parameters
    ----------
    model : FittedModel
    judged : Judged
        The rows of the report.
    train : Judged or None
        The training rows, if they are given.
    u : float
        Share of the list of the local figures.
    known_as_training : bool
        Whether the rows of the report are the training rows.
    """
    if known_as_training or judged.source == "held_out":
        how = _how(model, judged)
        return {"u": u, "columns": [_column("Training rows", how, judged, u)], "only_training": True}
    columns = [_of_training(model, train, u), _column("Rows of this report", None, judged, u)]
    return {"u": u, "columns": [each for each in columns if each is not None], "only_training": False}


def _of_training(model: FittedModel, train: Judged | None, u: float) -> dict[str, Any] | None:
    """Figures of the training rows: of given ones, of the counts of a tree, of kept rows, or as stored in the file."""
    if train is not None:
        return _column("Training rows", _how(model, train), train, u)
    one, kept, found = model.one_tree(), judge_at_fit(model), model.held_out_scores()
    if one is not None:
        how = "held-out routing" if one.tree.held_out else f"scored by the tree itself: {_TOO_GOOD}"
        return _column("Training rows", how, _counted(one.tree), u, rows=int(one.tree.cell_count[0]))
    if kept is not None:
        return _column("Training rows", _how(model, kept), kept, u)
    summary = model.summary_
    if found is None or summary is None or summary.n_positives is None:
        return None
    return {
        "name": "Training rows",
        "how": _HELD_OUT[model.voters() is not None],
        "n_rows": summary.n_rows,
        "rate": summary.n_positives / summary.n_rows,
        "auc": _alone(float(found.auc)),
        "gini": _alone(2.0 * float(found.auc) - 1.0),
        "ks": None,
        "local": None,
        "relative": None,
    }


def _how(model: FittedModel, judged: Judged) -> str:
    if judged.source == "held_out":
        return _HELD_OUT[model.voters() is not None]
    return f"scored by the model itself: {_TOO_GOOD}"


def _counted(tree: MasterTree) -> Judged:
    """The training rows of a tree by its strata: one weighted row for each class and stratum."""
    mass = tree.leaf_mass
    labels = np.repeat([0, 1], len(mass))
    score = np.tile(-np.arange(len(mass), dtype=np.float64), 2)
    weights = mass.T.ravel()
    counted = np.flatnonzero(weights > 0)
    return Judged(
        labels[counted],
        score[counted],
        weights[counted],
        None,
        "counts",
        lambda rows: np.empty((len(rows), 0)),
        counted,
    )


def _column(name: str, how: str | None, judged: Judged, u: float, rows: int | None = None) -> dict[str, Any]:
    labels, score, weights = judged.labels, judged.score, judged.weights
    positive = labels == 1
    mass = np.ones(len(labels)) if weights is None else weights
    # an interval holds for new rows, and for rows that are known one by one
    if judged.source == "counts" or (how is not None and how.endswith(_TOO_GOOD)):
        value = roc_auc(labels, score, sample_weight=weights)
        auc, gini = _alone(value), _alone(2.0 * value - 1.0)
    else:
        found = auc_interval(labels, score, sample_weight=weights)
        auc, gini = _with_ends(found), _with_ends(gini_of(found))
    return {
        "name": name,
        "how": how,
        "n_rows": len(labels) if rows is None else rows,
        "rate": float(mass[positive].sum() / mass.sum()),
        "auc": auc,
        "gini": gini,
        "ks": ks_statistic(labels, score, sample_weight=weights),
        "local": float(local_auc(labels, score, u, sample_weight=weights)),
        "relative": float(relative_local_auc(labels, score, u, sample_weight=weights)),
    }


def _with_ends(found: Interval) -> dict[str, Any]:
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _alone(value: float) -> dict[str, Any]:
    return {"estimate": value, "low": None, "high": None}
