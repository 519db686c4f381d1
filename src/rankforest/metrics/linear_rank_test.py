"""Test of a linear rank statistic, for any phi: do the positives rank higher than by chance?

If labels and scores are independent, all choices of the m positive rows out of n are equally likely. With a_i the value
of phi for the rank of row i, the statistic T = sum of a_i over the positives then has

    E T = m a-bar,    Var T = m (n - m) / (n (n - 1)) * sum of (a_i - a-bar)^2,

exactly. Tied rows share the mean of their values (average scores).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import BoolArray, FloatArray
from rankforest.metrics._inputs import check_ranking_inputs
from rankforest.metrics.generators import Generator, check_generator, generated

__all__ = ["LinearRankTest", "linear_rank_test"]

_METHODS = ("auto", "exact", "permutations", "normal")
_MOST_CHOICES = 20_000  # most choices of the positives for the exact test
_NUMBERS_AT_ONCE = 1_000_000
_SMOOTH = 0.1  # largest influence of a single row, in standard deviations, for the normal distribution


@dataclass(frozen=True)
class LinearRankTest:
    """Result of `linear_rank_test`.

    Attributes
    ----------
    statistic : float
        Sum over the positives of phi(rank / (n + 1)), with average scores for ties.
    mean, variance : float
        Of the statistic, if labels and scores are independent.
    p_value : float
        Probability of a statistic at least as large in that case.
    method : str
        How the p-value was found.
    """

    statistic: float
    mean: float
    variance: float
    p_value: float
    method: str

    @property
    def z(self) -> float:
        """Distance of the statistic to its mean in standard deviations; 0 if it has no spread."""
        return (self.statistic - self.mean) / math.sqrt(self.variance) if self.variance > 0.0 else 0.0

    def __str__(self) -> str:
        return (
            f"Linear rank test: {self.statistic:.4g}, {self.mean:.4g} by chance, z = {self.z:.2f}, "
            f"p = {self.p_value:.4g} ({self.method})"
        )


def linear_rank_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    phi: str | Generator = "wilcoxon",
    *,
    method: str = "auto",
    n_permutations: int = 9999,
    pos_label: object = None,
    random_state: Any = 0,
) -> LinearRankTest:
    """Test whether the positives rank higher than by chance, with ranks weighted by phi.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`. There are no weights, because rows are counted.
    phi : callable or str, default "wilcoxon"
        As in :func:`linear_rank_statistic`. A function that rises steeply near 1 emphasises the top of the list.
    method : {"auto", "exact", "permutations", "normal"}, default "auto"
        "exact" uses all choices of the positives, "permutations" draws ``n_permutations`` of them, "normal" uses the
        normal distribution with the exact mean and variance. The first two keep their level for every phi. The normal
        distribution needs many rows, even more if phi emphasises few of them: with 25 positives and 250 negatives,
        ``"local@0.05"`` rejects 10% at level 5%. ``"auto"`` is exact for at most 20 000 choices, normal if no row can
        change the statistic by more than a tenth of its standard deviation, and draws permutations otherwise.
    n_permutations : int, default 9999
        The p-value of drawn permutations is at least 1 / (n_permutations + 1).
    random_state : int, Generator or None, default 0

    Returns
    -------
    LinearRankTest

    Examples
    --------
    >>> y, score = [0, 0, 0, 1, 0, 1, 1], range(7)
    >>> print(linear_rank_test(y, score))  # 2 of the 35 choices do as well: ranks 4, 6, 7 and 5, 6, 7
    Linear rank test: 2.125, 1.5 by chance, z = 1.77, p = 0.05714 (exact)
    >>> round(linear_rank_test(y, score, "push@4").p_value, 4)
    0.0571
    """
    check_generator(phi)
    if method not in _METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, _METHODS))}, got {method!r}.")
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, int | np.integer) or n_permutations < 1:
        raise ValueError(f"n_permutations must be an integer of at least 1, got {n_permutations!r}.")
    is_positive, score, _ = check_ranking_inputs(y_true, y_score, pos_label=pos_label)
    values = average_scores(score, phi)
    n, m = len(values), int(is_positive.sum())
    centred = values - values.mean()
    statistic, mean = float(values[is_positive].sum()), m * float(values.mean())
    variance = m * (n - m) / (n * (n - 1.0)) * float(np.square(centred).sum())
    how = _method(centred, m, variance) if method == "auto" else method
    if _constant(centred, values):
        return LinearRankTest(statistic, mean, 0.0, 1.0, how)
    if how == "exact":
        p_value = _exact(centred, is_positive)
    elif how == "permutations":
        p_value = _drawn(centred, is_positive, int(n_permutations), np.random.default_rng(random_state))
    else:
        from scipy.special import ndtr  # keeps the import of the metrics fast

        p_value = float(ndtr(-(statistic - mean) / math.sqrt(variance)))
    return LinearRankTest(statistic, mean, variance, p_value, how)


def average_scores(score: FloatArray, phi: str | Generator) -> FloatArray:
    """phi(rank / (n + 1)) of every row; tied rows share the mean over the ranks that they take together.

    Examples
    --------
    >>> average_scores(np.array([1.0, 5.0, 5.0]), np.square)
    array([0.0625 , 0.40625, 0.40625])
    """
    n = len(score)
    rank = np.arange(1.0, n + 1.0)
    value = generated(phi, rank / (n + 1.0), n + 1.0 - rank)
    order = np.argsort(score, kind="stable")
    start = np.flatnonzero(np.append(True, np.diff(score[order]) != 0))
    size = np.diff(np.append(start, n))
    shared = np.empty(n)
    shared[order] = np.repeat(np.add.reduceat(value, start) / size, size)
    return shared


def _constant(centred: FloatArray, values: FloatArray) -> bool:
    """Whether all choices have the same statistic, up to rounding."""
    return bool(np.abs(centred).max() <= 1e-12 * max(float(np.abs(values).max()), 1e-300))


def _method(centred: FloatArray, m: int, variance: float) -> str:
    if math.comb(len(centred), m) <= _MOST_CHOICES:
        return "exact"
    return "normal" if np.square(centred).max() <= _SMOOTH**2 * variance else "permutations"


def _least(centred: FloatArray, is_positive: BoolArray) -> float:
    """The statistic minus the rounding error of a sum in another order."""
    return float(centred[is_positive].sum()) - 1e-10 * float(np.abs(centred).sum())


def _exact(centred: FloatArray, is_positive: BoolArray) -> float:
    choices = np.array(list(combinations(range(len(centred)), int(is_positive.sum()))), dtype=np.intp)
    return float(np.mean(centred[choices].sum(axis=1) >= _least(centred, is_positive)))


def _drawn(centred: FloatArray, is_positive: BoolArray, draws: int, rng: np.random.Generator) -> float:
    m, n = int(is_positive.sum()), len(centred)
    least = _least(centred, is_positive)
    # The values sum to 0, so the sum over the drawn rows is minus the sum over the others; draw the smaller set.
    few, sign = (m, 1.0) if 2 * m <= n else (n - m, -1.0)
    reached = 0
    for start in range(0, draws, batch := max(1, _NUMBERS_AT_ONCE // n)):
        keys = rng.random((min(batch, draws - start), n))
        chosen = np.argpartition(keys, few - 1, axis=1)[:, :few]
        reached += int(np.sum(sign * centred[chosen].sum(axis=1) >= least))
    return (1.0 + reached) / (1.0 + draws)
