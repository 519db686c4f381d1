"""What the report asks of a model, whichever it is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.schema import Schema
from ..estimators.rank_boost import RankBoost
from ..estimators.rank_consensus import RankConsensus
from ..estimators.ranking_forest import RankingForest
from ..estimators.tree_rank import TreeRank

__all__ = ["forest_in", "held_out_scores", "importance_of", "kind_of", "schema_of"]

_KINDS: dict[type, str] = {TreeRank: "tree", RankingForest: "forest", RankBoost: "boosting", RankConsensus: "consensus"}


def kind_of(model: Any) -> str:
    """Which report a model has.

    Examples
    --------
    >>> kind_of(TreeRank())
    'tree'
    """
    for known, kind in _KINDS.items():
        if isinstance(model, known):
            return kind
    raise ValueError(
        f"There is no report of a {type(model).__name__}; give a fitted {', '.join(k.__name__ for k in _KINDS)}, "
        "without a pipeline or search around it."
    )


def schema_of(model: Any) -> Schema:
    """Names and kinds of the features of a fitted model."""
    if hasattr(model, "tree_"):
        return model.tree_.schema
    forest = forest_in(model)
    return model.team_.members[0].trees.schema if forest is None else forest.trees_[0].schema


def forest_in(model: Any) -> Any:
    """The forest that a model is, or that has a vote in it; None where there is none."""
    if isinstance(model, RankConsensus):
        return model.forest_
    return model if isinstance(model, RankingForest) else None


def importance_of(model: Any) -> np.ndarray | None:
    """Importance of each feature; None where cells are cut on no feature in particular."""
    try:
        return np.asarray(model.feature_importances_)
    except AttributeError:
        return None


def held_out_scores(model: Any) -> tuple[np.ndarray, float] | None:
    """Score of each training row by what has not learned from it, and their AUC; None where there are none."""
    if isinstance(model, RankConsensus):
        members = (held_out_scores(model.forest_), held_out_scores(model.booster_))
        if None in members:  # then the consensus has made do with scores of what was learned from
            return None
    for scores, auc in (("oob_scores_", "oob_auc_"), ("held_out_scores_", "held_out_auc_")):
        if hasattr(model, scores) and hasattr(model, auc):
            return getattr(model, scores), float(getattr(model, auc))
    return None
