"""A fit of a local estimator on rows in partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..data.binning import Bins
from ..data.coded_table import TableOutline
from ..data.labels import Labels
from ..data.ordered_labels import OrderedLabels
from ..data.schema import Schema
from ..estimators._table_model import TableModel
from ..forest.sampling import Sampling
from .engine import Engine, Part
from .spread import Spread
from .spread_sample import spread_sample
from .traffic import Traffic
from .ways import make_way

__all__ = ["fit_on_parts"]

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
        Of the whole table; ``estimator._most_bins`` is the largest number of bins.
    labels : Labels or OrderedLabels
        Labels of all rows in the order of the whole table, rows of weight 0 included.
    weights : array or None
        Weights of all rows, as `read_weights` returns them.
    way : {"trees", "bags", "histograms"} or None
        Where the work is done. None chooses by size.
    traffic : Traffic or None
        Counts what travels.
    """
    n_rows = len(labels.codes)
    estimator._check_bins_suffice()
    growth = estimator._checked(TableOutline(schema, n_rows))
    estimator._check_classes(labels, weights)
    codes, kept = labels.codes, None
    if weights is not None and not weights.all():
        kept = weights > 0
        codes, weights = codes[kept], weights[kept]
    spread = Spread.of_any_order(engine, parts, schema, bins, codes, weights)
    if traffic is not None:
        spread = replace(spread, traffic=traffic)
    levels = labels.values if isinstance(labels, OrderedLabels) else None
    sample = spread_sample(spread, make_way(spread, way, _rows_of_a_tree(estimator, len(codes))), levels)
    return estimator._learn(estimator._training_on(sample, labels, growth, kept))


def _rows_of_a_tree(estimator: TableModel, n_rows: int) -> int:
    """Number of rows that are drawn for a tree."""
    sampling = getattr(estimator, "sampling", None)
    return n_rows if sampling is None else Sampling.of(sampling).rows_of(n_rows)
