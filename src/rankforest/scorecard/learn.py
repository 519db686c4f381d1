"""From training rows to a scorecard: boosted shapes, few steps, whole points; and the same on every fold.

Every bag leaves out one fold. It has its own shapes, steps and points, and scores the fold that it has not seen: that
tells how many steps are enough, and gives held-out totals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import expit

from ..boosting.rounds import Boosting, boost
from ..data.sample import Sample
from ..metrics.roc import roc_auc
from .draft import Draft, Drafting
from .shapes import Shapes, mean_shapes, shapes_of

__all__ = ["KINDS", "Learned", "Recipe", "Trial", "learn"]

# Stumps on all features. Random cuts give smoother shapes, best cuts sharper ones: their mean ranks better than either.
_STUMPS = Boosting(max_leaf_nodes=2, max_features=None, learning_rate=0.1, subsample=0.7, min_samples_leaf=5, l2=1.0)
KINDS = ("best", "random")
_PATIENCE = 30
# Prices of a cut, as shares of the weighted variance of the margins; the first only keeps out rounding errors.
_PRICES = (1e-9, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
# The price if no rows are held out to choose by.
_BLIND_PRICE = 3e-4


@dataclass(frozen=True)
class Recipe:
    """How a card is learned, with the names of `RankScore`."""

    max_steps: int | None
    points: float | None
    tolerance: float
    n_rounds: int
    directions: tuple[int, ...] | None
    seed: int
    n_threads: int


@dataclass(frozen=True)
class Trial:
    """A price of a cut that was tried: the mean number of steps of the bags' cards, and their mean held-out AUC."""

    price: float
    n_steps: float
    auc: float


@dataclass(frozen=True, eq=False)
class Learned:
    """A learned card, still on bins.

    Attributes
    ----------
    draft : Draft
    unit : float
        Margin of one point.
    offset : float
        What a total needs to be a margin, in margins.
    shapes : Shapes
        Of all bags.
    n_folds : int
    held_out : array or None
        Margin of each row by the cards of the bags that have not seen it; None without held-out rows.
    shape_auc : float
        Mean held-out AUC of the shapes, before they are cut into steps; 1/2 without held-out rows.
    trials : tuple of Trial
    """

    draft: Draft
    unit: float
    offset: float
    shapes: Shapes
    n_folds: int = 1
    held_out: np.ndarray | None = None
    shape_auc: float = 0.5
    trials: tuple[Trial, ...] = ()


def learn(
    sample: Sample, recipe: Recipe, held_out: np.ndarray | None, progress: Callable[[int], None] | None = None
) -> Learned:
    """Learn a card.

    Parameters
    ----------
    sample : Sample
    recipe : Recipe
    held_out : array of shape (n_bags, n_rows) or None
        1 for the rows that a bag leaves out; None trains one bag on all rows.
    progress : callable or None
        Called with the number of rounds of boosting so far.
    """
    shapes = _boosted(sample, recipe, held_out, progress)
    if held_out is None:
        return _card_of(sample, recipe, shapes, _BLIND_PRICE)
    bags = [_Bag(sample, recipe, shapes.bag(b), out == 1) for b, out in enumerate(held_out)]
    shape_auc = float(np.mean([bag.auc(bag.shapes.margin(bag.codes)) for bag in bags]))
    trials = _tried(bags, recipe, shape_auc)
    price = trials[-1].price
    whole = _card_of(sample, recipe, shapes, price)
    sums, times = np.zeros(sample.n_rows), held_out.sum(axis=0)
    for bag in bags:
        sums[bag.out] += bag.margin(price, recipe.points)
    margins = np.divide(sums, times, out=np.full(sample.n_rows, np.nan), where=times > 0)
    return replace(whole, n_folds=round(1.0 / held_out.mean()), held_out=margins, shape_auc=shape_auc, trials=trials)


def _boosted(
    sample: Sample, recipe: Recipe, held_out: np.ndarray | None, progress: Callable[[int], None] | None
) -> Shapes:
    """The shapes of every bag: the mean of the kinds of stumps."""
    masks = np.zeros((1, sample.n_rows), dtype=np.uint8) if held_out is None else held_out
    found = []
    for number, cuts in enumerate(KINDS):
        boosted = boost(
            sample, replace(_STUMPS, cuts=cuts), masks, n_rounds=recipe.n_rounds,
            patience=0 if held_out is None else _PATIENCE, seed=recipe.seed, n_threads=recipe.n_threads,
            progress=None if progress is None else partial(_after, number * recipe.n_rounds, progress),
        )  # fmt: skip
        found.append(shapes_of(boosted.trees, sample.binned.bins))
    return mean_shapes(found)


def _after(before: int, progress: Callable[[int], None], done: int) -> None:
    progress(before + done)


def _drafting(sample: Sample, recipe: Recipe, shapes: Shapes, rows: np.ndarray | slice) -> tuple[Drafting, np.ndarray]:
    """Drafts of the mean of the shapes on some rows, and its margins there."""
    codes = np.asfortranarray(sample.binned.codes[rows])
    margin = shapes.margin(codes)
    chance = expit(margin)
    weights = chance * (1.0 - chance)
    if sample.weights is not None:
        weights = weights * sample.weights[rows]
    mean = [values.mean(axis=0) for values in shapes.values]
    return Drafting(mean, codes, weights, shapes.bins.categorical, recipe.directions, recipe.max_steps), margin


class _Bag:
    """A bag: shapes that have not seen some rows, and cards from these shapes."""

    def __init__(self, sample: Sample, recipe: Recipe, shapes: Shapes, out: np.ndarray) -> None:
        self.shapes, self.out = shapes, out
        self.codes, self.labels = sample.binned.codes[out], sample.labels[out]
        self.weights = None if sample.weights is None else sample.weights[out]
        self.drafting, self.margins = _drafting(sample, recipe, shapes, ~out)

    def auc(self, scores: np.ndarray) -> float:
        """AUC of scores of the rows that it has not seen."""
        return roc_auc(self.labels, scores, sample_weight=self.weights)

    def margin(self, price: float, points: float | None) -> np.ndarray:
        """Margin of these rows by the card of this bag."""
        draft, unit, offset = _finished(self.drafting, self.margins, price, points)
        return offset + unit * draft.totals(self.codes)


def _tried(bags: list[_Bag], recipe: Recipe, shape_auc: float) -> tuple[Trial, ...]:
    """Prices from low to high, the last one chosen: the highest before the AUC falls by more than the tolerance."""
    found: list[Trial] = []
    for price in _PRICES[: 1 if recipe.max_steps is None else None]:
        drafts = [bag.drafting.with_price(price * bag.drafting.variance) for bag in bags]
        auc = float(np.mean([bag.auc(draft.totals(bag.codes)) for bag, draft in zip(bags, drafts)]))
        if found and auc < shape_auc - recipe.tolerance:
            break
        n_steps = np.mean([sum(len(draft.values[j]) - 1 for j in draft.used) for draft in drafts])
        found.append(Trial(price, float(n_steps), auc))
    return tuple(found)


def _finished(
    drafting: Drafting, margins: np.ndarray, price: float, points: float | None
) -> tuple[Draft, float, float]:
    """A draft, rounded if `points` are given; the margin of a point, and what is to be added to a total."""
    draft, unit = drafting.with_price(price * drafting.variance), 1.0
    if points is not None:
        draft, unit = drafting.rounded(draft, points)
    away = margins - unit * draft.totals(drafting.codes)
    return draft, unit, float(np.average(away, weights=drafting.weights))


def _card_of(sample: Sample, recipe: Recipe, shapes: Shapes, price: float) -> Learned:
    """The card of all rows, from the mean of the bags."""
    drafting, margins = _drafting(sample, recipe, shapes.mean(), slice(None))
    draft, unit, offset = _finished(drafting, margins, price, recipe.points)
    return Learned(draft, unit, offset, shapes)
