"""Rounds of boosting: several boosters in parallel, each with its own held-out rows, with one early stopping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from .. import _core
from ..data.folds import stratified_folds
from ..data.parameters import at_least, bound, chosen, feature_count
from ..data.sample import Sample
from ..data.storable import storable
from .trees import BoostedTrees

__all__ = ["BASES", "LOSSES", "Boosted", "Boosting", "boost", "held_out_folds"]

BASES = ("tree", "threshold")
LOSSES = ("logistic", "exponential", "log_loss")
CUTS = ("best", "random")

Progress = Callable[[int], None]


@storable
@dataclass(frozen=True)
class Boosting:
    """Parameters of a booster, with the names of `RankBoost`.

    In a symmetric tree all nodes of a level share their cut: `max_leaf_nodes` is rounded down to a power of two, at
    most 1024, and `min_samples_leaf` does not apply. `max_features` are drawn per tree, not per node.
    """

    base: str = "tree"
    loss: str = "log_loss"
    learning_rate: float = 0.05
    max_leaf_nodes: int | None = 8
    min_samples_leaf: int = 5
    max_features: Any = "sqrt"
    cuts: str = "best"
    l2: float = 1.0
    subsample: float = 0.7
    symmetric: bool = False

    def to_core(self, n_features: int, seed: int) -> _core.BoostParams:
        """These parameters, checked, as the core's record."""
        tree = _core.GradientTreeParams()
        tree.max_leaf_nodes = bound("max_leaf_nodes", self.max_leaf_nodes, least=2)
        tree.min_samples_leaf = at_least("min_samples_leaf", self.min_samples_leaf, 1)
        tree.max_features = feature_count("max_features", self.max_features, n_features)
        tree.random_cuts = bool(chosen("cuts", self.cuts, CUTS))
        tree.l2 = _number("l2", self.l2, 0.0, np.inf)
        tree.symmetric = bool(self.symmetric)
        params = _core.BoostParams()
        params.tree = tree
        params.loss = chosen("loss", self.loss, LOSSES)
        params.learning_rate = _number("learning_rate", self.learning_rate, 0.0, 1.0, open_at_low=True)
        params.subsample = _number("subsample", self.subsample, 0.0, 1.0, open_at_low=True)
        params.seed = seed
        params.threshold = bool(chosen("base", self.base, BASES))
        if params.threshold:
            if self.loss != "exponential":
                raise ValueError(f"loss is {self.loss!r}; thresholds are boosted by the exponential loss alone.")
            params.learning_rate = params.subsample = 1.0  # the paper's step, without shrinkage, on all rows
        return params


def _number(name: str, value: Any, low: float, high: float, *, open_at_low: bool = False) -> float:
    whole = not isinstance(value, bool) and isinstance(value, Real)
    if not whole or not (low < value if open_at_low else low <= value) or not value <= high:
        least = f"{'above' if open_at_low else 'of at least'} {low:g}"
        raise ValueError(
            f"{name} is {value!r}; give a number {least}{f' and at most {high:g}' if high < np.inf else ''}."
        )
    return float(value)


@dataclass(frozen=True)
class Boosted:
    """Result of boosting.

    Attributes
    ----------
    trees : BoostedTrees
        Up to the round with the greatest held-out AUC.
    curve : array or None
        Mean held-out AUC of the boosters after each round; None without held-out rows.
    held_out : array or None
        Margin of each training row by the boosters that were not trained on it; NaN if all were.
    fitted : array or None
        Margin of each training row by the booster trained on all rows; None with held-out rows.
    """

    trees: BoostedTrees
    curve: np.ndarray | None
    held_out: np.ndarray | None
    fitted: np.ndarray | None = None


def boost(
    sample: Sample,
    boosting: Boosting,
    held_out: np.ndarray,
    *,
    n_rounds: int,
    patience: int = 0,
    seed: int,
    n_threads: int = 1,
    progress: Progress | None = None,
) -> Boosted:
    """Train several boosters in parallel, with early stopping.

    Parameters
    ----------
    sample : Sample
    boosting : Boosting
    held_out : array of shape (n_boosters, n_rows)
        1 for the held-out rows of a booster.
    n_rounds : int
        Largest number of rounds.
    patience : int
        Early stopping: stop after `patience` rounds plus half of the best number of rounds without a better mean
        held-out AUC. 0 runs all rounds and keeps them.
    seed, n_threads : int
    progress : callable or None
        Called with the number of finished rounds.
    """
    params = [boosting.to_core(sample.table.n_features, seed + b) for b in range(len(held_out))]
    arrays, starts, curves, scores, sums_of_trees, _ = _core.boost(
        sample.binned.core,
        sample.labels,
        sample.weights,
        held_out,
        params,
        n_rounds,
        patience,
        n_threads,
        progress,
    )
    trees = BoostedTrees(schema=sample.table.schema, start=float(np.mean(starts)), n_boosters=len(params), **arrays)
    if not held_out.any():
        return Boosted(trees, None, None, trees.start + np.mean(sums_of_trees, axis=0))
    sums, times = np.zeros(sample.n_rows), held_out.sum(axis=0)
    for out, score in zip(held_out, scores):
        sums[out == 1] += score
    margins = np.divide(sums, times, out=np.full(sample.n_rows, np.nan), where=times > 0)
    return Boosted(trees, np.mean(curves, axis=0), margins)


def held_out_folds(labels: np.ndarray, n_folds: int, n_repeats: int, seed: int) -> np.ndarray:
    """Held-out rows of each booster: one fold per booster, for `n_repeats` splits into folds."""
    found = [stratified_folds(labels, n_folds, seed + r) for r in range(n_repeats)]
    return np.array([fold == k for fold in found for k in range(n_folds)], dtype=np.uint8)
