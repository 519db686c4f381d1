"""Rounds of boosting: several boosters in parallel, each with its own held-out rows, with one early stopping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from .. import _core
from ..data.constraints import CodedConstraints
from ..data.hold_out import ANY_ROWS, HoldOut
from ..data.parameters import at_least, bound, chosen, feature_count
from ..data.sample import Sample
from ..data.storable import storable
from ..tree.walk import category_codes
from .table_tree import trees_of_tables
from .trees import BoostedTrees

__all__ = [
    "BASES",
    "LEAST_GAIN",
    "LOSSES",
    "Boosted",
    "Boosters",
    "Boosting",
    "boost",
    "has_converged",
    "has_many_categories",
    "held_out_folds",
    "judging_blocks",
]

BASES = ("tree", "threshold")
LOSSES = ("logistic", "exponential", "log_loss")
CUTS = ("best", "random")
_STEP = 16  # rounds between two looks at the curve
# Early stopping: the least gain of AUC that is worth half as many rounds again.
LEAST_GAIN = 5e-4

# Cuts of a feature with so many categories are overrated. On small tables they are always discounted, on larger ones if
# the race shows that it helps.
_MANY_CATEGORIES, _SMALL_TABLE = 64, 10_000

Progress = Callable[[int], None]


@storable
@dataclass(frozen=True)
class Boosting:
    """Parameters of a booster, with the names of `RankBoost`.

    In a symmetric tree all nodes of a level share their cut: `max_leaf_nodes` is rounded down to a power of two, at
    most 1024, and `min_samples_leaf` does not apply. `max_features` are drawn per tree, not per node. `tree_features`
    are drawn per tree in any case, and `max_features` among them. With `tables`, boosting starts with tables of
    categories and of pairs of them. With `category_discount`, the gain of a cut of categories counts only as far as the
    differences between the categories are more than chance.
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
    tree_features: Any = None
    tables: bool = False
    category_discount: bool = False
    constraints: CodedConstraints | None = field(default=None, repr=False)

    def to_core(self, n_features: int, seed: int) -> _core.BoostParams:
        """These parameters, checked, as the core's record."""
        tree = _core.GradientTreeParams()
        tree.max_leaf_nodes = bound("max_leaf_nodes", self.max_leaf_nodes, least=2)
        tree.min_samples_leaf = at_least("min_samples_leaf", self.min_samples_leaf, 1)
        tree.max_features = feature_count("max_features", self.max_features, n_features)
        tree.random_cuts = bool(chosen("cuts", self.cuts, CUTS))
        tree.l2 = _number("l2", self.l2, 0.0, np.inf)
        tree.symmetric = bool(self.symmetric)
        tree.category_discount = self.category_discount
        if self.constraints is not None:
            if self.symmetric:
                raise ValueError("Symmetric trees know no constraints; set symmetric to False.")
            tree.constraints = self.constraints.to_core()
        params = _core.BoostParams()
        params.tree = tree
        params.loss = chosen("loss", self.loss, LOSSES)
        params.learning_rate = _number("learning_rate", self.learning_rate, 0.0, 1.0, open_at_low=True)
        params.subsample = _number("subsample", self.subsample, 0.0, 1.0, open_at_low=True)
        params.tree_features = feature_count("tree_features", self.tree_features, n_features)
        params.seed = seed
        params.threshold = bool(chosen("base", self.base, BASES))
        if params.threshold:
            if self.loss != "exponential":
                raise ValueError(f"loss is {self.loss!r}; thresholds are boosted by the exponential loss alone.")
            if self.symmetric:
                raise ValueError("symmetric is True; thresholds are no trees, so set it to False.")
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


def has_many_categories(sample: Sample) -> bool:
    """Whether a feature has more than 64 categories."""
    return max((n - 1 for n in category_codes(sample.table.schema)), default=0) > _MANY_CATEGORIES


class Boosters:
    """Several boosters of one kind, each with its own held-out rows, some rounds at a time.

    Between two calls of `advance` the caller may look at the curve and decide whether to go on; no round is computed
    twice. ::

        boosters = Boosters(sample, boosting, held_out_folds(sample.labels, 5, 1, seed), seed=seed)
        boosters.advance(32)
        if boosters.curve[-1] > best_so_far:
            boosters.advance(64)
        found = boosters.result(boosters.best_round)

    Parameters
    ----------
    sample : Sample
    boosting : Boosting
    held_out : array of shape (n_boosters, n_rows)
        1 for the held-out rows of a booster; 2 for rows after them in time, which it must not see either.
    seed, n_threads : int

    Attributes
    ----------
    boosting : Boosting
    n_rounds : int
        Rounds so far.
    curve : array
        Mean held-out AUC after each round; empty without held-out rows.
    best_round : int
        The first round with the greatest mean held-out AUC; without held-out rows, the last one.
    """

    def __init__(
        self, sample: Sample, boosting: Boosting, held_out: np.ndarray, *, seed: int, n_threads: int = 1
    ) -> None:
        self.boosting = boosting
        self._sample, self._held_out, self._n_threads = sample, held_out, n_threads
        params = [boosting.to_core(sample.table.n_features, seed + b) for b in range(len(held_out))]
        if boosting.base == "tree" and sample.n_rows <= _SMALL_TABLE and has_many_categories(sample):
            for one in params:
                one.tree.category_discount = True
        first = trees_of_tables(sample, held_out, boosting.constraints) if boosting.tables else None
        self._core = sample.boosters(np.minimum(held_out, 1), params, first)

    def advance(self, n_rounds: int) -> None:
        """Run more rounds."""
        self._core.advance(n_rounds, self._n_threads)

    @property
    def n_rounds(self) -> int:
        return self._core.n_rounds

    @property
    def best_round(self) -> int:
        return self._core.best_round

    @property
    def curve(self) -> np.ndarray:
        return np.mean(self._core.curves(), axis=0)

    def held_out(self, n_rounds: int) -> np.ndarray:
        """Margin of each row after so many rounds, by the boosters that were not trained on it; NaN if all were."""
        judged = self._held_out == 1
        sums, times = np.zeros(self._sample.n_rows), judged.sum(axis=0)
        for out, is_judged, score in zip(self._held_out, judged, self._core.held_out_scores(n_rounds)):
            sums[is_judged] += score[is_judged[out > 0]]
        return np.divide(sums, times, out=np.full(self._sample.n_rows, np.nan), where=times > 0)

    def result(self, n_rounds: int) -> Boosted:
        """The model of the first so many rounds."""
        trees = BoostedTrees(
            schema=self._sample.table.schema,
            start=float(np.mean(self._core.starts())),
            n_boosters=len(self._held_out),
            **self._core.trees(n_rounds),
        )
        if self._held_out.any():
            return Boosted(trees, self.curve, self.held_out(n_rounds))
        whole = n_rounds == self.n_rounds  # the core knows the margins after the last round only
        return Boosted(trees, None, None, trees.start + np.mean(self._core.fitted(), axis=0) if whole else None)


def boost(
    sample: Sample,
    boosting: Boosting,
    held_out: np.ndarray,
    *,
    n_rounds: int,
    patience: int = 0,
    least_gain: float = LEAST_GAIN,
    seed: int,
    n_threads: int = 1,
    progress: Progress | None = None,
) -> Boosted:
    """Train several boosters in parallel, with early stopping.

    Parameters
    ----------
    sample, boosting, held_out, seed, n_threads
        As in `Boosters`.
    n_rounds : int
        Largest number of rounds.
    patience : int
        Early stopping: stop after `patience` rounds plus a quarter of the best number of rounds without a better mean
        held-out AUC. 0 runs all rounds and keeps them.
    least_gain : float
        Early stopping: stop if the last third of the rounds has raised the greatest mean held-out AUC by less.
    progress : callable or None
        Called with the number of finished rounds.
    """
    boosters = Boosters(sample, boosting, held_out, seed=seed, n_threads=n_threads)
    while boosters.n_rounds < n_rounds:
        boosters.advance(min(_STEP, n_rounds - boosters.n_rounds))
        if progress is not None:
            progress(boosters.n_rounds)
        if patience > 0 and has_converged(boosters.curve, patience, least_gain):
            break
    return boosters.result(boosters.best_round if patience > 0 else boosters.n_rounds)


def has_converged(curve: np.ndarray, patience: int, least_gain: float = LEAST_GAIN) -> bool:
    """Whether more rounds are not worth their price, given the held-out AUC after each round so far."""
    done, best = len(curve), int(np.argmax(curve)) + 1
    if done - best >= patience + best // 4:
        return True
    return done >= 3 * patience and float(curve.max() - curve[: done - done // 3].max()) < least_gain


def held_out_folds(
    labels: np.ndarray, n_folds: int, n_repeats: int, seed: int, hold_out: HoldOut = ANY_ROWS
) -> np.ndarray | None:
    """Held-out rows of each booster: one fold per booster, for `n_repeats` splits into folds.

    At most so many folds, as in `HoldOut.folds_at_most`; None if there are none. Folds forward in time are split once,
    and the latest comes first.
    """
    repeats = range(1 if hold_out.forward else n_repeats)
    found = [hold_out.folds_at_most(labels, n_folds, seed + r) for r in repeats]
    masks = [folds.masks() for folds in found if folds is not None]
    if not masks:
        return None
    return masks[0][::-1] if hold_out.forward else np.concatenate(masks)


def judging_blocks(held_out: np.ndarray, hold_out: HoldOut) -> np.ndarray | None:
    """The booster that is judged by each row, if folds go forward in time; -1 for rows that judge none."""
    if not hold_out.forward:
        return None
    judged = held_out == 1
    return np.where(judged.any(axis=0), np.argmax(judged, axis=0), -1)
