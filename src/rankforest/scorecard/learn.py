"""From training rows to a scorecard: boosted shapes, few steps, whole points; and the same on every fold.

Every bag leaves out one fold. It has its own shapes, steps and points, and scores the fold that it has not seen: that
tells how many steps are enough, and gives held-out totals. Bags that are judged forward in time have seen the first
rows only; then the shapes of the card come from other bags, of which each leaves out a part of the rows, with the same
numbers of rounds. Tables of pairs do, too; each bag that judges finds its own ones on the rows that it has seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import expit

from ..boosting.rounds import Boosting, boost
from ..data.constraints import CodedConstraints
from ..data.sample import Sample
from ..metrics.roc import roc_auc
from .draft import Draft, Drafting
from .pairs import PairShape, learn_pairs
from .shapes import Shapes, mean_shapes, shapes_of

__all__ = ["KINDS", "CardOnBins", "Learned", "Recipe", "Trial", "learn"]

# Stumps on all features. Random cuts give smoother shapes, best cuts sharper ones: their mean ranks better than either.
_STUMPS = Boosting(max_leaf_nodes=2, max_features=None, learning_rate=0.1, subsample=0.7, min_samples_leaf=5, l2=1.0)
KINDS = ("best", "random")
_PATIENCE = 30
# Prices of a cut, as shares of the weighted variance of the margins; the first only keeps out rounding errors.
_PRICES = (1e-9, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
_EARLIER_PARTS = 5  # of the rows that a bag has seen, if it is judged forward in time
# The price if no rows are held out to choose by.
_BLIND_PRICE = 3e-4


@dataclass(frozen=True)
class Recipe:
    """How a card is learned, with the names of `RankScore`."""

    step_limits: tuple[int, ...] | None  # most steps of a feature; the first that are enough are taken
    points: float | None
    pairs: int
    tolerance: float
    n_rounds: int
    constraints: CodedConstraints | None
    seed: int
    n_threads: int


@dataclass(frozen=True)
class Trial:
    """A price of a cut that was tried: the mean number of steps of the bags' cards, and their mean held-out AUC."""

    price: float
    n_steps: float
    auc: float


@dataclass(frozen=True, eq=False)
class CardOnBins:
    """A card for rows of codes.

    Attributes
    ----------
    draft : Draft
    pairs : tuple of PairShape
        Tables of points.
    unit : float
        Margin of one point.
    offset : float
        What is added to a total, in margins, to make a margin of it.
    """

    draft: Draft
    pairs: tuple[PairShape, ...]
    unit: float
    offset: float

    def totals(self, codes: np.ndarray) -> np.ndarray:
        """Total of each row of codes."""
        return self.draft.totals(codes) + sum(pair.margin(codes) for pair in self.pairs)

    def margin(self, codes: np.ndarray) -> np.ndarray:
        """Margin of each row of codes."""
        return self.offset + self.unit * self.totals(codes)


@dataclass(frozen=True, eq=False)
class Learned:
    """A learned card, still on bins, and what it was learned from.

    Attributes
    ----------
    card : CardOnBins
    shapes : Shapes
        Of all bags.
    pairs : tuple of PairShape
        Of all bags.
    n_folds : int
    held_out : array or None
        Margin of each row by the cards of the bags that have not seen it; None without held-out rows.
    shape_auc : float
        Mean held-out AUC of the shapes, before they are cut into steps; 1/2 without held-out rows.
    trials : tuple of Trial
    """

    card: CardOnBins
    shapes: Shapes
    pairs: tuple[PairShape, ...] = ()
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
        1 for the rows that judge a bag, 2 for later ones, 0 for those that it learns from; None trains one bag on all
        rows, without pairs.
    progress : callable or None
        Called with the number of rounds of boosting so far.
    """
    shapes, n_rounds = _boosted(sample, recipe, held_out, progress)
    n_folds = 1 if held_out is None else round(1.0 / (held_out == 1).mean())
    of_bags, masks = shapes, held_out
    if sample.hold_out.forward and held_out is not None:
        parts = sample.hold_out.parts(sample.labels, len(held_out), recipe.seed)
        n_folds, masks = (1, None) if parts is None else (parts.n_folds, parts.masks())
        shapes, _ = _boosted(sample, recipe, masks, None, n_rounds)
    whole = _Bag(sample, recipe, shapes.mean(), np.zeros(sample.n_rows, dtype=np.uint8))
    if held_out is None:
        blind = None if recipe.step_limits is None else recipe.step_limits[0]
        return Learned(whole.card((), _BLIND_PRICE, blind, recipe), shapes)
    bags = [_Bag(sample, recipe, of_bags.bag(b), out) for b, out in enumerate(held_out)]
    margins = [bag.shapes.margin(bag.codes) for bag in bags]
    of_shapes = np.array([bag.auc(margin) for bag, margin in zip(bags, margins)])
    pairs, pairs_of = _pairs_of_bags(sample, recipe, shapes, masks, of_bags, held_out)
    most, trials = _tried(bags, recipe, of_shapes)
    price = trials[-1].price
    cards = [bag.card(own, price, most, recipe) for own, bag in zip(pairs_of, bags)]
    found = _on_all([card.margin(bag.codes) for card, bag in zip(cards, bags)], held_out)
    return Learned(
        whole.card(pairs, price, most, recipe), shapes, pairs, n_folds, found, float(of_shapes.mean()), trials
    )


def _on_all(margins: Sequence[np.ndarray], held_out: np.ndarray) -> np.ndarray:
    """Mean held-out margin of each row, given those of the rows that each bag leaves out; NaN where there is none."""
    sums, times = np.zeros(held_out.shape[1]), (held_out == 1).sum(axis=0)
    for out, margin in zip(held_out, margins):
        sums[out == 1] += margin
    return np.divide(sums, times, out=np.full(len(sums), np.nan), where=times > 0)


def _boosted(
    sample: Sample,
    recipe: Recipe,
    held_out: np.ndarray | None,
    progress: Callable[[int], None] | None,
    rounds: Sequence[int] | None = None,
) -> tuple[Shapes, list[int]]:
    """The shapes of every bag, the mean of the kinds of stumps, and the number of rounds of each kind.

    With `rounds`, these are the numbers; otherwise held-out rows choose them.
    """
    masks = np.zeros((1, sample.n_rows), dtype=np.uint8) if held_out is None else held_out
    found, used = [], []
    for number, cuts in enumerate(KINDS):
        boosted = boost(
            sample, replace(_STUMPS, cuts=cuts, constraints=recipe.constraints), masks,
            n_rounds=recipe.n_rounds if rounds is None else rounds[number],
            patience=0 if held_out is None or rounds is not None else _PATIENCE,
            seed=recipe.seed, n_threads=recipe.n_threads,
            progress=None if progress is None else partial(_after, number * recipe.n_rounds, progress),
        )  # fmt: skip
        found.append(shapes_of(boosted.trees, sample.binned.bins))
        used.append(boosted.trees.n_rounds)
    return mean_shapes(found), used


def _after(before: int, progress: Callable[[int], None], done: int) -> None:
    progress(before + done)


def _pairs_of_bags(
    sample: Sample,
    recipe: Recipe,
    shapes: Shapes,
    masks: np.ndarray | None,
    of_bags: Shapes,
    held_out: np.ndarray,
) -> tuple[tuple[PairShape, ...], list[Sequence[PairShape]]]:
    """The tables of the card, learned beside its shapes with these masks; and those of the bags that judge it."""
    if not recipe.pairs:
        return (), [()] * len(held_out)
    pairs: tuple[PairShape, ...] = ()
    if masks is not None:
        unseen = [shapes.bag(b).margin(sample.binned.codes[out == 1]) for b, out in enumerate(masks)]
        pairs = _pairs(sample, recipe, shapes, _on_all(unseen, masks), masks)
    if not sample.hold_out.forward:
        return pairs, [[pair.bag(b) for pair in pairs] for b in range(len(held_out))]
    return pairs, [_earlier_pairs(sample, recipe, of_bags.bag(b), out == 0) for b, out in enumerate(held_out)]


def _earlier_pairs(sample: Sample, recipe: Recipe, shapes: Shapes, seen: np.ndarray) -> tuple[PairShape, ...]:
    """Tables of the rows that a bag has seen, on the residuals of its shapes."""
    rows = np.flatnonzero(seen)
    earlier = sample.take(rows)
    parts = earlier.hold_out.parts(earlier.labels, _EARLIER_PARTS, recipe.seed)
    if parts is None:
        return ()
    return _pairs(earlier, recipe, shapes, shapes.margin(earlier.binned.codes), parts.masks())


def _pairs(
    sample: Sample, recipe: Recipe, shapes: Shapes, margin: np.ndarray, held_out: np.ndarray
) -> tuple[PairShape, ...]:
    """Tables of pairs of features; tables keep the directions by themselves, so that their sum does."""
    spreads = np.array([np.std(values.mean(axis=0)) for values in shapes.values])
    return learn_pairs(
        sample.binned.codes, sample.labels, sample.weights, margin, held_out, shapes.bins, n_pairs=recipe.pairs,
        spreads=spreads, constraints=recipe.constraints,
    )  # fmt: skip


class _Bag:
    """Shapes that have not seen some rows, and cards from these shapes."""

    def __init__(self, sample: Sample, recipe: Recipe, shapes: Shapes, held_out: np.ndarray) -> None:
        """`held_out` is its row of the masks."""
        self.shapes, inside, out = shapes, held_out == 0, held_out == 1
        self.codes, self.labels = sample.binned.codes[out], sample.labels[out]
        self.weights = None if sample.weights is None else sample.weights[out]
        codes = np.asfortranarray(sample.binned.codes[inside])
        self.margins = shapes.margin(codes)
        chance = expit(self.margins)
        curvature = chance * (1.0 - chance)
        if sample.weights is not None:
            curvature *= sample.weights[inside]
        mean = [values.mean(axis=0) for values in shapes.values]
        most = None if recipe.step_limits is None else max(recipe.step_limits)
        self.drafting = Drafting(mean, codes, curvature, shapes.bins.categorical, recipe.constraints, most)

    def auc(self, scores: np.ndarray) -> float:
        """AUC of scores of the rows that it has not seen."""
        return roc_auc(self.labels, scores, sample_weight=self.weights)

    def draft(self, price: float, most: int | None) -> Draft:
        """Steps at a price of a cut, at most so many of a feature."""
        return self.drafting.with_price(price * self.drafting.variance, most)

    def card(self, pairs: Sequence[PairShape], price: float, most: int | None, recipe: Recipe) -> CardOnBins:
        """The card at a price of a cut, rounded if the recipe has `points`."""
        made, weights = self.drafting, self.drafting.weights
        draft, unit = self.draft(price, most), 1.0
        margins = self.margins + sum(pair.margin(made.codes) for pair in pairs)
        if recipe.step_limits is not None:
            least = recipe.step_limits[0]
            pairs = [pair.merged(_mass_of(pair, made.codes, weights), least) for pair in pairs]
        if recipe.points is not None:
            span = draft.span + sum(pair.span for pair in pairs)
            unit = span / recipe.points if span > 0 else 1.0
            draft = made.rounded(draft, unit)
            pairs = [_in_whole_points(pair, unit) for pair in pairs]
        card = CardOnBins(draft, tuple(pairs), unit, 0.0)
        return replace(card, offset=float(np.average(margins - card.margin(made.codes), weights=weights)))


def _mass_of(pair: PairShape, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weight of each cell of a pair."""
    shape = pair.values.shape[1:]
    return np.bincount(pair.cells(codes), weights=weights, minlength=shape[0] * shape[1]).reshape(shape)


def _in_whole_points(pair: PairShape, unit: float) -> PairShape:
    points = np.rint(pair.values.mean(axis=0) / unit)
    return replace(pair, values=(points - points.min())[None])


def _tried(bags: Sequence[_Bag], recipe: Recipe, of_shapes: np.ndarray) -> tuple[int | None, tuple[Trial, ...]]:
    """The most steps of a feature, and prices from low to high, the last one chosen.

    The limit is the first with which the AUC of the drafts does not fall by more than the tolerance and a standard
    error over the bags, or else the best; the price is the highest before the AUC falls by more than the tolerance. The
    lowest price is taken in any case. `of_shapes` has the AUC of the shapes of each bag.
    """
    limits = (None,) if recipe.step_limits is None else recipe.step_limits
    firsts: list[Trial] = []
    enough = False
    for limit in limits:
        trial, falls = _trial(bags, _PRICES[0], limit, of_shapes)
        firsts.append(trial)
        error = falls.std(ddof=1) / np.sqrt(len(falls)) if len(falls) > 1 else 0.0
        enough = bool(falls.mean() <= recipe.tolerance + error)
        if enough:
            break
    at = len(firsts) - 1 if enough else int(np.argmax([first.auc for first in firsts]))
    found = [firsts[at]]
    for price in _PRICES[1:] if recipe.step_limits is not None else ():
        trial, falls = _trial(bags, price, limits[at], of_shapes)
        if falls.mean() > recipe.tolerance:
            break
        found.append(trial)
    return limits[at], tuple(found)


def _trial(bags: Sequence[_Bag], price: float, most: int | None, of_shapes: np.ndarray) -> tuple[Trial, np.ndarray]:
    """A price with a limit, and by how much the AUC of each bag falls."""
    drafts = [bag.draft(price, most) for bag in bags]
    auc = np.array([bag.auc(draft.totals(bag.codes)) for bag, draft in zip(bags, drafts)])
    n_steps = np.mean([sum(len(draft.values[j]) - 1 for j in draft.used) for draft in drafts])
    return Trial(price, float(n_steps), float(auc.mean())), of_shapes - auc
