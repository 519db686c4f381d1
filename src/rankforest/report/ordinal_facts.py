"""A model of ordered labels as plain values: errors, the labels and their predictions, scores, the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..metrics import EvaluationRow, evaluate_ordinal, roc_auc
from ..tree.conditions import narrow
from ..tree.ordinal_rules import leaf_rules
from ..tree.ordinal_tree import OrdinalTree, median_level
from .dependence_facts import dependence_facts
from .drift_facts import drift_facts
from .features import importance_facts, of_model, summary_facts
from .plain import plain, rounded
from .reasons_facts import reasons_facts
from .rows import Rows

__all__ = ["ordinal_facts"]

_REPLICATES = 200
_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_MOST_LEAVES = 200  # of a drawn tree
_SAME = 1e-12


def ordinal_facts(
    model: FittedModel, X: Any, rows: Rows, train: tuple[Any, Rows] | None, shown: np.ndarray
) -> dict[str, Any]:
    """Facts of a model of ordered labels.

    Parameters
    ----------
    model : FittedModel
    X : table
    rows : Rows
        The same rows, read.
    train : (table, Rows) or None
        The training rows.
    shown : array of int
        Positions of the rows that the file may contain, among those that count.
    """
    counted = rows.counted
    labels, weights = rows.labels[counted], None if rows.weights is None else rows.weights[counted]
    if len(np.unique(labels)) < 2:
        raise ValueError(
            f"All rows of the report have the label {str(model.classes_[labels[0]])!r}; give rows of two or more."
        )
    predicted, scores = _predicted(model, X)[counted], model.score_samples(X)[counted]
    drift = drift_facts(model, X)
    seen = _is_training(model, labels, drift)
    sides = (
        [_side(model, "Training rows", "scored by the model itself: too good", *_of(model, *train))] if train else []
    )
    sides.append(
        _side(model, "Training rows" if seen else "Rows of this report", None, labels, scores, predicted, weights)
    )
    tree = model.one_ordinal_tree()
    return {
        "kind": "ordinal",
        **of_model(model, model.schema_),
        "labels": [str(label) for label in model.classes_.tolist()],
        "source": "training" if seen else "given",
        "n_rows": len(labels),
        "weighted": weights is not None,
        "summary": summary_facts(model),
        "importance": importance_facts(model),
        "sides": sides,
        "drift": None if seen else drift,
        "distribution": _distribution(model, labels, predicted, weights),
        "confusion": _confusion(model, labels, predicted, weights),
        "thresholds": _thresholds(model, labels, scores, weights),
        "scores": _scores(model, labels, scores),
        "dependence": dependence_facts(model, len(counted), lambda some: rows.values(counted[some])),
        "reasons": reasons_facts(model, rows, shown),
        "tree": None if tree is None or tree.n_leaves > _MOST_LEAVES else _tree(model, tree, rows, labels, weights),
    }


def _predicted(model: FittedModel, X: Any) -> np.ndarray:
    """Positions of the predicted labels among those of the model."""
    place = {label: k for k, label in enumerate(model.classes_.tolist())}
    return np.array([place[label] for label in np.asarray(model.predict(X)).tolist()])


def _of(model: FittedModel, X: Any, rows: Rows) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray | None]:
    kept = rows.counted
    weights = None if rows.weights is None else rows.weights[kept]
    return rows.labels[kept], model.score_samples(X)[kept], _predicted(model, X)[kept], weights


def _is_training(model: FittedModel, labels: np.ndarray, drift: dict[str, Any] | None) -> bool:
    """Whether the labels have the counts of the training rows, and no feature has moved at all."""
    if drift is None or model.summary_ is None:
        return False
    counts = tuple(np.bincount(labels, minlength=len(model.classes_)).tolist())
    moved = [line["index"] for line in drift["lines"] if not line["name"].startswith("The ")]
    return counts == model.summary_.class_counts and max(moved, default=0.0) <= _SAME


def _side(
    model: FittedModel,
    name: str,
    how: str | None,
    labels: np.ndarray,
    scores: np.ndarray,
    predicted: np.ndarray,
    weights: np.ndarray | None,
) -> dict[str, Any]:
    """C-index, mean absolute error and kappa with intervals, and how many labels are hit."""
    found = evaluate_ordinal(
        labels, scores, predicted, order=range(len(model.classes_)), n_replicates=_REPLICATES, sample_weight=weights
    )
    hit = labels == predicted
    return {
        "name": name,
        "how": how,
        "n_rows": len(labels),
        "metrics": [_metric(row, with_interval=how is None) for row in found.rows],
        "hit": float(np.average(hit, weights=weights)),
        "near": float(np.average(np.abs(labels - predicted) <= 1, weights=weights)),
    }


def _metric(row: EvaluationRow, *, with_interval: bool) -> dict[str, Any]:
    """A figure; the interval holds for rows that the model was not trained on."""
    ends = (row.low, row.high) if with_interval else (None, None)
    return {"name": row.metric[:1].upper() + row.metric[1:], "estimate": row.value, "low": ends[0], "high": ends[1]}


def _shares(codes: np.ndarray, weights: np.ndarray | None, n: int) -> list[Any]:
    counts = np.bincount(codes, weights, n)
    return rounded(counts / counts.sum())


def _distribution(
    model: FittedModel, labels: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None
) -> dict[str, Any]:
    """Share of every label in training, among these rows, and among their predictions."""
    n, summary = len(model.classes_), model.summary_
    of_training = None
    if summary is not None and len(summary.class_counts) == n:
        of_training = rounded(np.array(summary.class_counts) / summary.n_rows)
    return {
        "training": of_training,
        "observed": _shares(labels, weights, n),
        "predicted": _shares(predicted, weights, n),
    }


def _confusion(
    model: FittedModel, labels: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None
) -> dict[str, Any]:
    """Mass of every pair of label and predicted label, and its share of the rows of the label."""
    n = len(model.classes_)
    mass = np.bincount(labels * n + predicted, weights, n * n).reshape(n, n).astype(np.float64)
    total = mass.sum(axis=1, keepdims=True)
    share = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
    return {"mass": [plain(row) for row in mass], "share": [rounded(row, 4) for row in share]}


def _thresholds(
    model: FittedModel, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None
) -> list[dict[str, Any]]:
    """AUC of each question whether the label is at least L; only where there are rows on both sides."""
    found = []
    for k, label in enumerate(model.classes_.tolist()):
        above = labels >= k
        if above.any() and not above.all():
            mass = np.ones(len(labels)) if weights is None else weights
            auc = roc_auc(above, scores, sample_weight=weights, pos_label=True)
            found.append({"label": str(label), "auc": float(auc), "share": float(mass[above].sum() / mass.sum())})
    return found


def _scores(model: FittedModel, labels: np.ndarray, scores: np.ndarray) -> list[dict[str, Any]]:
    """Quantiles of the scores of every label."""
    return [
        {
            "label": str(label),
            "rows": int((labels == k).sum()),
            "at": rounded(np.quantile(scores[labels == k], _QUANTILES)),
        }
        for k, label in enumerate(model.classes_.tolist())
        if (labels == k).any()
    ]


def _tree(
    model: FittedModel, tree: OrdinalTree, rows: Rows, labels: np.ndarray, weights: np.ndarray | None
) -> dict[str, Any]:
    """The tree, nodes first and then leaves, with the labels of the training rows and of these rows."""
    n = len(model.classes_)
    leaves = np.concatenate([tree.apply(block) for block in rows.table.blocks()])[rows.counted]
    mass = np.bincount(leaves * n + labels, weights, tree.n_leaves * n).reshape(-1, n).astype(np.float64)
    counts = np.bincount(leaves, minlength=tree.n_leaves)[:, None].astype(np.float64)
    every, trained = tree.with_sums(mass), tree.node_mass
    conditions = [
        [str(next(iter(narrow(tree, node, side, {}, tree.has_missing).values()))) for side in (True, False)]
        for node in range(tree.n_nodes)
    ]
    return {
        "children": tree.children.tolist(),
        "conditions": conditions,
        "rows": plain(tree.with_sums(counts)[:, 0]),
        "share": [rounded(row, 4) for row in _of_rows(every)],
        "mean": rounded(_of_rows(every) @ tree.levels),
        "training_mean": rounded(_of_rows(trained) @ tree.levels),
        "median": median_level(trained).tolist(),
        "levels": plain(tree.levels),
        "rules": leaf_rules(tree),
    }


def _of_rows(mass: np.ndarray) -> np.ndarray:
    """Shares; NaN where there are no rows."""
    total = mass.sum(axis=1, keepdims=True)
    return np.divide(mass, total, out=np.full(mass.shape, np.nan), where=total > 0)
