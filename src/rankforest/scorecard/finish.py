"""From a draft on bins to the card: cut points as round numbers, points from 0 on, standard errors, masses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.binning import USUAL_BINS, Bins
from ..data.sample import Sample
from .card import Scorecard, Steps
from .learn import Learned

__all__ = ["finished_card"]

_EXACT = 17  # digits that identify every double


def finished_card(sample: Sample, learned: Learned, *, whole: bool) -> Scorecard:
    """The card of a draft.

    Parameters
    ----------
    sample : Sample
    learned : Learned
    whole : bool
        Whether the points are whole. Otherwise they are margins, and the total is a log-odds.
    """
    draft, bins = learned.draft, sample.binned.bins
    codes, labels = sample.binned.codes, sample.labels
    row_weights = np.ones(len(labels)) if sample.weights is None else sample.weights
    steps, offset = [], 0.0 if whole else learned.offset
    for j in draft.used:
        step, values = draft.steps[j], draft.values[j]
        place = 2 * codes[:, j].astype(np.intp) + labels
        mass = np.bincount(place, weights=row_weights, minlength=2 * len(step)).reshape(-1, 2)
        of_steps = np.column_stack([np.bincount(step, weights=each) for each in mass.T])
        errors = _standard_errors(learned.shapes.values[j], learned.n_folds, step, mass.sum(axis=1))
        steps.append(
            Steps(
                feature=j,
                **_cuts(bins, j, step),
                points=values[:-1],
                missing=float(values[-1]),
                spread=errors / learned.unit,
                mass=of_steps,
            )
        )
    return Scorecard(schema=sample.table.schema, steps=tuple(steps), offset=offset)


def _cuts(bins: Bins, j: int, step: np.ndarray) -> dict[str, Any]:
    """Groups of the categories, or edges between the steps, with as few digits as keep all rows on their side."""
    if bins.categorical[j]:
        return {"groups": step[1:].astype(np.int32)}
    last = np.flatnonzero(np.diff(step[1:]))  # the last bin of each step but the last
    cuts = bins.cuts[j][last]
    if _whole_numbers(bins, j):
        return {"edges": np.floor(cuts)}
    digits = [_EXACT] * len(cuts) if bins.digits is None else bins.digits[j][last].tolist()
    edges = [cut if n >= _EXACT else float(f"{cut:.{max(n, 1) - 1}e}") for cut, n in zip(cuts.tolist(), digits)]
    return {"edges": np.array(edges, dtype=np.float64)}


def _whole_numbers(bins: Bins, j: int) -> bool:
    """Whether all values of a feature are whole numbers; cuts are halfway between two values.

    The means of bins are values themselves, unless there are more values than bins.
    """
    cuts, means = bins.cuts[j], bins.means[j]
    return bool((np.abs(cuts) < 2**52).all() and (2.0 * cuts % 1.0 == 0.0).all()) and (
        len(means) >= USUAL_BINS or bool((means % 1.0 == 0.0).all())
    )


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
