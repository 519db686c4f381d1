"""From a draft on bins to the card: cut points as round numbers, points from 0 on, standard errors, masses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.binning import Bins
from ..data.sample import Sample
from .card import Axis, PairSteps, Scorecard, Steps
from .learn import Learned
from .pairs import PairShape

__all__ = ["finished_card"]


def finished_card(sample: Sample, learned: Learned, *, whole: bool) -> Scorecard:
    """The card of a draft.

    Parameters
    ----------
    sample : Sample
    learned : Learned
    whole : bool
        Whether the points are whole. Otherwise they are margins, and the total is a log-odds.
    """
    card, bins = learned.card, sample.binned.bins
    weights = np.ones(sample.n_rows) if sample.weights is None else sample.weights
    codes, labels = sample.binned.codes, sample.labels
    steps = []
    for j in card.draft.used:
        step, values = card.draft.steps[j], card.draft.values[j]
        mass = _masses(codes[:, j], labels, weights, len(step))
        errors = _standard_errors(learned.shapes.values[j], learned.n_folds, step, mass.sum(axis=1))
        steps.append(
            Steps(
                feature=j, **_cuts(bins, j, step), points=values[:-1], missing=float(values[-1]),
                spread=errors / card.unit, mass=_merged(step, mass),
            )
        )  # fmt: skip
    pairs = []
    for pair, fine in zip(card.pairs, learned.pairs):
        shape = pair.values.shape[1:]
        into = _onto(fine, pair)
        mass = _masses(fine.cells(codes), labels, weights, len(into))
        errors = _standard_errors(fine.values.reshape(len(fine.values), -1), learned.n_folds, into, mass.sum(axis=1))
        axes = [Axis(feature=j, **_cuts(bins, j, step)) for j, step in zip(pair.features, pair.steps)]
        pairs.append(
            PairSteps(
                axes=(axes[0], axes[1]), points=pair.values[0], spread=(errors / card.unit).reshape(shape),
                mass=_merged(into, mass).reshape(*shape, 2),
            )
        )  # fmt: skip
    offset = 0.0 if whole else card.offset
    return Scorecard(schema=sample.table.schema, steps=tuple(steps), pairs=tuple(pairs), offset=offset)


def _masses(codes: np.ndarray, labels: np.ndarray, weights: np.ndarray, n_codes: int) -> np.ndarray:
    """Weight of the negatives and of the positives of each code."""
    return np.bincount(2 * codes.astype(np.intp) + labels, weights=weights, minlength=2 * n_codes).reshape(-1, 2)


def _merged(step: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """The same of each step."""
    return np.column_stack([np.bincount(step, weights=each) for each in mass.T])


def _onto(fine: PairShape, merged: PairShape) -> np.ndarray:
    """The cell of a merged table for each cell of the fine one."""
    into = []
    for before, after in zip(fine.steps, merged.steps):
        found = np.zeros(before.max() + 1, dtype=np.int64)
        found[before] = after
        into.append(found)
    return (into[0][:, None] * merged.values.shape[2] + into[1][None, :]).ravel()


def _cuts(bins: Bins, j: int, step: np.ndarray) -> dict[str, Any]:
    """Groups of the categories, or edges between the steps, with as few digits as keep all rows on their side."""
    if bins.categorical[j]:
        return {"groups": step[1:].astype(np.int32)}
    last = np.flatnonzero(np.diff(step[1:]))  # the last bin of each step but the last
    return {"edges": bins.round_cuts(j)[last]}


def _standard_errors(values: np.ndarray, n_folds: int, step: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Standard error of each step's value: the jackknife over the bags, each of which leaves out a fold.

    Values are measured from the feature's mean, as a shift of a whole feature does not change the order.
    """
    n_bags, total = len(values), np.bincount(step, weights=mass)
    if n_bags == 1:
        return np.zeros(len(total))
    centred = values - (values @ mass)[:, None] / mass.sum()
    means = np.zeros((n_bags, len(total)))
    for b, each in enumerate(centred):
        means[b] = np.divide(np.bincount(step, weights=mass * each), total, out=means[b], where=total > 0)
    return np.sqrt((n_folds - 1) * means.var(axis=0))
