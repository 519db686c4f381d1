"""The metrics of a scored file, in plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..metrics import by_group, evaluate, evaluate_ordinal, gains_table
from ..metrics.budget import best_rows
from ..tree.strata import observed_strata
from ._model import Loaded
from ._scoring import Scored

__all__ = ["figures"]


def figures(
    loaded: Loaded, scored: Scored, tops: Sequence[float], confidence: float, replicates: int
) -> dict[str, Any]:
    """Metrics with intervals, gains, and the strata of a tree.

    Parameters
    ----------
    loaded : Loaded
    scored : Scored
        With labels.
    tops : sequence of float
        Shares of the list.
    confidence : float
        Of the intervals.
    replicates : int
        Draws of the bootstrap.
    """
    if loaded.model.ordered:
        assert scored.labels is not None
        assert scored.predicted is not None
        judged = evaluate_ordinal(
            scored.labels, scored.scores, scored.predicted, order=loaded.model.classes_, confidence=confidence,
            n_replicates=replicates, sample_weight=scored.weights,
        )  # fmt: skip
        return {"confidence": confidence, "metrics": [asdict(row) for row in judged.rows]}
    positive = np.asarray(scored.labels == loaded.model.pos_label_)
    judged = evaluate(
        positive, scored.scores, u=tops, probability=scored.probabilities, confidence=confidence,
        n_replicates=replicates, sample_weight=scored.weights, groups=scored.together,
    )  # fmt: skip
    found: dict[str, Any] = {
        "positive": loaded.model.pos_label_,
        "positive_words": asdict(loaded.model.positive_words),
        "positives": int(positive.sum()),
        "confidence": confidence,
        "metrics": [asdict(row) for row in judged.rows],
    }
    table = gains_table(
        positive, scored.scores, n_groups=min(10, len(positive)), sample_weight=scored.weights
    ).to_dict()
    if scored.groups is not None:
        found["groups"] = _groups(scored, positive, max(tops), confidence)
    found["gains"] = [dict(zip(table, row)) for row in zip(*table.values())]
    one = loaded.model.one_tree()
    if scored.cells is not None and one is not None:
        found["strata"] = _strata(one.tree, scored, positive)
    return found


def _groups(scored: Scored, positive: np.ndarray, top: float, confidence: float) -> dict[str, Any]:
    """Figures by group; the best share of the list counts as flagged."""
    n = max(round(top * scored.n_rows), 1)
    flagged = best_rows(scored.scores, n, np.random.default_rng(0).random(scored.n_rows), None, confidence).flagged
    table = by_group(
        positive, scored.scores, scored.groups, flagged=flagged, confidence=confidence, sample_weight=scored.weights
    )
    columns = table.to_dict()
    head, lines = table.cells()
    return {
        "top": top,
        "groups": list(table.groups),
        "rows": table.n_rows,
        "figures": [dict(zip(columns, row)) for row in zip(*columns.values())],
        "cross_auc": table.cross_auc,
        "printed": {"head": head, "lines": lines, "note": table.note},
    }


def _strata(tree: Any, scored: Scored, positive: np.ndarray) -> list[dict[str, Any]]:
    assert scored.cells is not None
    observed = observed_strata(scored.cells, positive, tree.n_leaves, scored.weights)
    return [
        {
            "stratum": k + 1,
            "rows": int(rows),
            "positives": float(positives),
            "rate": None if np.isnan(rate) else float(rate),
            "training_rate": float(tree.leaf_rate[k]),
        }
        for k, (rows, positives, rate) in enumerate(zip(*observed))
    ]
