"""A threshold above which at least a given share of all future rows is positive, with a given confidence.

The rows above the k-th best of the held-out scores are, given this score, a random sample of the rows above it, so the
positives among them are binomial with the precision there. A precision below the wanted one is rejected if so many
positives would have a probability of at most delta (Clopper and Pearson). One threshold is chosen among several, so the
ranks k are fixed before the labels are seen, each test gets an equal part of delta, and the lowest threshold that
passes is returned. (A fixed sequence of tests without such parts, as in "Learn then test" of Angelopoulos et al., 2021,
needs thresholds that do not depend on the held-out scores.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._held_out_list import HeldOutList
from rankforest.metrics.conformal import check_precision
from rankforest.metrics.interval import check_confidence

__all__ = ["PrecisionThreshold", "precision_threshold"]

_STEP = 1.25  # ratio of the ranks


class PrecisionThreshold(NamedTuple):
    """Rows that score above the threshold are flagged.

    Attributes
    ----------
    threshold : float
        ``inf`` if no threshold has the precision with the confidence.
    flagged, positives : int
        Held-out rows above it, and the positives among them.
    """

    threshold: float
    flagged: int
    positives: int


def precision_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    precision: float,
    *,
    confidence: float = 0.95,
    groups: Any = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> PrecisionThreshold:
    """The lowest threshold above which at least a share ``precision`` of future rows is positive, with ``confidence``.

    The confidence is over held-out samples: in at most one of twenty (at 0.95) the threshold is too low. It holds for
    all future rows of the same population, one by one or together, whatever the model and the distribution.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`. The model must not be trained on these rows. There are no weights, because the rows
        are counted.
    precision, confidence : float
        In (0, 1).
    groups : array-like of shape (n,), optional
        Equal for rows that are not independent, such as those of one customer: one row of each group is used, drawn at
        random. The statement is then about one row of each future customer.
    random_state : int or Generator, default 0
        Seed of these rows.

    Returns
    -------
    PrecisionThreshold
        The tuple ``(threshold, flagged, positives)``.

    Examples
    --------
    >>> y, score = np.repeat([1, 0, 1, 0], [60, 5, 35, 300]), np.arange(400, 0, -1)
    >>> precision_threshold(y, score, 0.8)
    PrecisionThreshold(threshold=305.0, flagged=95, positives=90)
    >>> precision_threshold(y, score, 0.8, confidence=0.999)
    PrecisionThreshold(threshold=348.0, flagged=52, positives=52)
    """
    delta = check_confidence(confidence)
    wanted = check_precision(precision)
    return threshold_for(HeldOutList.checked(y_true, y_score, pos_label, groups, random_state), wanted, delta)


def threshold_for(held_out: HeldOutList, precision: float, delta: float) -> PrecisionThreshold:
    """The result of :func:`precision_threshold` from a list of held-out scores; ``delta`` is 1 - confidence."""
    scores = np.sort(np.concatenate(held_out))[::-1]
    ranks = _ranks(len(scores), precision, delta)
    thresholds = scores[ranks]  # ranks are counted from 0: k rows are above the k-th, or fewer with ties
    positives, negatives = held_out.above(thresholds, side="right")
    flagged = positives + negatives
    proven = np.flatnonzero(_tail(positives, flagged, precision) <= delta / max(len(ranks), 1))
    if len(proven) == 0:
        return PrecisionThreshold(np.inf, 0, 0)
    lowest = proven[-1]
    return PrecisionThreshold(float(thresholds[lowest]), int(flagged[lowest]), int(positives[lowest]))


def fewest_rows(precision: float, delta: float) -> int:
    """So many rows, all of them positive, prove the precision.

    Examples
    --------
    >>> fewest_rows(0.8, 0.05)
    14
    """
    return int(np.ceil(np.log(delta) / np.log(precision)))


def _ranks(n: int, precision: float, delta: float) -> np.ndarray:
    """Ranks to test, which depend on the number of rows alone; all of them can pass if the best rows are positive."""
    n_tests = 1
    while True:
        first = fewest_rows(precision, delta / n_tests)
        if first >= n:
            return np.empty(0, dtype=np.int64)
        steps = 1 + int(np.log((n - 1) / first) / np.log(_STEP))
        if steps <= n_tests:
            return np.unique((first * _STEP ** np.arange(steps)).astype(np.int64))
        n_tests += 1


def _tail(positives: np.ndarray, rows: np.ndarray, precision: float) -> np.ndarray:
    """Probability of at least so many positives if each row is positive with the given precision."""
    from scipy.special import bdtrc

    found = np.ones(len(rows))
    some = positives > 0
    found[some] = bdtrc(positives[some] - 1.0, rows[some], precision)
    return found
