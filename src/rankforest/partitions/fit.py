"""A fit of a local estimator on rows in partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..data.binning import Bins
from ..data.hold_out import ANY_ROWS, HoldOut
from ..data.labels import Labels
from ..data.ordered_labels import OrderedLabels
from ..data.schema import Schema
from ..estimators._booster import Booster
from ..estimators._table_model import TableModel
from ..estimators.learner import Learner
from ..estimators.rank_consensus import RankConsensus
from ..forest.sampling import Sampling
from .engine import Engine, Part
from .spread import Spread
from .spread_sample import spread_sample
from .traffic import Traffic
from .ways import make_way

__all__ = ["fit_on_parts"]

_BYTES_OF_A_BOOSTER = 60  # of a row: score, gradient and hessian, order
_BOOSTERS_OF_A_WORKER = 3

Model = TypeVar("Model", bound=TableModel)


def fit_on_parts(
    estimator: Model,
    engine: Engine,
    parts: Sequence[Part],
    *,
    schema: Schema,
    bins: Bins,
    labels: Labels | OrderedLabels,
    weights: np.ndarray | None = None,
    hold_out: HoldOut = ANY_ROWS,
    way: str | None = None,
    traffic: Traffic | None = None,
) -> Model:
    """Fit an estimator; the model is that of a local fit on all rows, byte by byte.

    Parameters
    ----------
    estimator : TreeRank, RankingForest, OrdinalRankingTree, OrdinalRankingForest or a booster
        It is fitted in place. Its training rows stay in the partitions.
    engine : Engine
    parts : sequence of Part
        Partitions of this engine, in any order; they may be empty. Rows of weight 0 are in none of them.
    schema, bins
        Of the whole table; ``Learner(estimator).most_bins`` is the largest number of bins.
    labels : Labels or OrderedLabels
        Labels of all rows in the order of the whole table, rows of weight 0 included.
    weights : array or None
        Weights of all rows, as `read_weights` returns them.
    hold_out : HoldOut
        Groups of all rows, rows of weight 0 included. Folds forward in time are refused.
    way : {"trees", "bags", "histograms"} or None
        Where the work is done. None chooses by size.
    traffic : Traffic or None
        Counts what travels.
    """
    n_rows = len(labels.codes)
    learner = Learner(estimator)
    learner.check_bins_suffice()
    growth = learner.check_parameters(schema, n_rows)
    learner.check_classes(labels, weights)
    codes, kept = labels.codes, None
    if weights is not None and not weights.all():
        kept = weights > 0
        codes, weights, hold_out = codes[kept], weights[kept], hold_out.take(kept)
    learner.check_groups(hold_out, codes, growth)
    spread = Spread.of_any_order(engine, parts, schema, bins, codes, weights)
    if hold_out.groups is not None:
        spread = replace(spread, groups=np.unique(hold_out.groups, return_inverse=True)[1].astype(np.int32))
    if traffic is not None:
        spread = replace(spread, traffic=traffic)
    levels = labels.values if isinstance(labels, OrderedLabels) else None
    chosen = make_way(spread, way, _rows_of_a_tree(estimator, len(codes)), _state_of_a_row(estimator))
    sample = replace(spread_sample(spread, chosen, levels), hold_out=hold_out)
    return learner.learn(sample, labels, growth, kept)


def _rows_of_a_tree(estimator: TableModel, n_rows: int) -> int:
    """Number of rows that are drawn for a tree."""
    sampling = getattr(estimator, "sampling", None)
    return n_rows if sampling is None else Sampling.of(sampling).rows_of(n_rows)


def _state_of_a_row(estimator: TableModel) -> int:
    """Bytes of a row that a worker keeps from tree to tree."""
    return _BOOSTERS_OF_A_WORKER * _BYTES_OF_A_BOOSTER if isinstance(estimator, (Booster, RankConsensus)) else 0
