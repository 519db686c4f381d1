"""Criteria that weigh the positives by their ranks: linear rank statistics, W-ranking, DCG, tail strength."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import CumulativeMass, check_share, checked_mass
from rankforest.metrics._top import top_of_mass
from rankforest.metrics.generators import Generator, beyond, check_generator, generated

__all__ = ["dcg", "linear_rank_statistic", "ndcg", "tail_strength", "w_ranking"]


class Blocks(NamedTuple):
    """Rows of equal score, best first: their positives and negatives, their mid-rank (n is the best), and n."""

    positives: FloatArray
    negatives: FloatArray
    rank: FloatArray
    n: float

    def generated(self, phi: str | Generator, ranks: str) -> FloatArray:
        """The score-generating function at the rank of every block."""
        return generated(phi, self.relative_rank(ranks), self.n + 1.0 - self.rank)

    def relative_rank(self, ranks: str) -> FloatArray:
        if ranks == "n+1":
            return self.rank / (self.n + 1.0)
        if ranks == "mid":
            return (self.rank - 0.5) / self.n
        raise ValueError(f"ranks must be 'n+1' or 'mid', got {ranks!r}; they are rank / (n + 1) and (rank - 1/2) / n.")


def linear_rank_statistic(
    y_true: ArrayLike,
    y_score: ArrayLike,
    phi: str | Generator = "wilcoxon",
    *,
    ranks: str = "n+1",
    mean: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> float:
    """Sum over the positives of phi(rank / (n + 1)); the best row has rank n (2007, Definition 22).

    A score-generating function phi that rises steeply near 1 emphasises the top of the list. Tied rows share their
    mid-rank; a row of weight 2 counts as two tied rows.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    phi : callable or str, default "wilcoxon"
        A function from an array in (0, 1) to as many numbers, or a name:

        - ``"wilcoxon"``: v, the AUC up to constants;
        - ``"push@p"``: v^p, the p-norm push with, say, ``"push@4"``;
        - ``"local@u"``: v where v > 1 - u and 0 elsewhere;
        - ``"dcg"``: 1 / ln(1 + x), where x = n + 1 - rank is the position from the top;
        - ``"reciprocal"``: 1 / x.
    ranks : {"n+1", "mid"}, default "n+1"
        Argument of phi: rank / (n + 1) or the mid-distribution (rank - 1/2) / n.
    mean : bool, default False
        Divide by the number of positives.

    Returns
    -------
    float

    Examples
    --------
    >>> y, score = [0, 1, 0, 1], [1, 2, 3, 4]
    >>> round(linear_rank_statistic(y, score), 4)  # (2 + 4) / 5
    1.2
    >>> round(linear_rank_statistic(y, score, "push@4"), 4)
    0.4352
    >>> linear_rank_statistic(y, score, lambda v: v > 0.5, mean=True)
    0.5
    """
    check_generator(phi)
    blocks = blocks_of(checked_mass(y_true, y_score, sample_weight, pos_label))
    value = blocks.generated(phi, ranks)
    total = float(np.dot(blocks.positives, value))
    return total / float(blocks.positives.sum()) if mean else total


def w_ranking(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    ranks: str = "mid",
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """W-ranking performance: mean over the positives of Phi_u(F), F the relative rank, Phi_u(v) = v 1{v > 1 - u}.

    With the mid-distribution F = (rank - 1/2) / n, W = (p / 2) beta (2 - beta) + (1 - p) LocAUC holds exactly, and ties
    at the quantile are shared proportionally. The regression function eta maximises W, as it does LocAUC.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].
    ranks : {"mid", "n+1"}, default "mid"
        ``"n+1"`` is the paper's empirical version with F = rank / (n + 1), in which rows that are tied at the quantile
        are in the top or out of it together. The two differ by O(1 / n).

    Returns
    -------
    float or ndarray
        Of the shape of ``u``; higher is better.

    Examples
    --------
    >>> w_ranking([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 1.0])  # (7/8) / 2, (7/8 + 3/8) / 2
    array([0.4375, 0.625 ])
    >>> w_ranking([0, 1, 0, 1], [1, 2, 3, 4], 0.5, ranks="n+1")  # (4/5) / 2
    0.4
    """
    share = check_share(u)
    mass = checked_mass(y_true, y_score, sample_weight, pos_label)
    if ranks == "mid":
        top = top_of_mass(mass, share)
        return top.as_given(top.rate / 2.0 * top.beta * (2.0 - top.beta) + (1.0 - top.rate) * top.local_auc)
    blocks = blocks_of(mass)
    v = blocks.relative_rank(ranks)
    gained = np.append(0.0, np.cumsum(blocks.positives * v))
    # v decreases down the list, so the blocks with v > 1 - u come first.
    in_top = np.searchsorted(-v, -beyond(share), side="left")
    found = gained[in_top] / blocks.positives.sum()
    return float(found) if share.ndim == 0 else found


def dcg(y_true: ArrayLike, y_score: ArrayLike, *, k: int | None = None, pos_label: object = None) -> float:
    """Discounted cumulative gain: sum over the positives of 1 / log2(1 + position from the top).

    Tied rows share the mean of the discounts of their positions, as in :func:`sklearn.metrics.dcg_score`. Positions
    are counted, so rows have no weights.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`.
    k : int, optional
        Count the first k positions only.

    Returns
    -------
    float
        Higher is better; it grows with the number of positives, see :func:`ndcg`.

    Examples
    --------
    >>> dcg([1, 0, 1], [3, 2, 1])
    1.5
    """
    return _gain(y_true, y_score, k, pos_label)[0]


def ndcg(y_true: ArrayLike, y_score: ArrayLike, *, k: int | None = None, pos_label: object = None) -> float:
    """Discounted cumulative gain over that of a perfect list.

    Parameters
    ----------
    y_true, y_score, k, pos_label
        As in :func:`dcg`.

    Returns
    -------
    float
        In [0, 1]: 1 for a perfect list.

    Examples
    --------
    >>> ndcg([1, 1, 0], [3, 2, 1])
    1.0
    >>> round(ndcg([1, 0, 1], [3, 2, 1]), 4)
    0.9197
    """
    gain, best = _gain(y_true, y_score, k, pos_label)
    return min(gain / best, 1.0)


def tail_strength(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> float:
    """Tail strength of the positives among the negatives (Taylor and Tibshirani, 2006).

    The p-value of a positive is the share of the negatives above it. With the m p-values in ascending order, the
    strength is the mean over k of 1 - p_(k) (m + 1) / k: how far, relatively, the k-th best positive is ahead of where
    chance would put it. On the ROC curve this is the mean over the positives of 1 - alpha / beta, so that the first
    positives count most.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`. Ties are broken at random, in the mean; a row of weight 2 counts as two tied rows.

    Returns
    -------
    float
        1 for a perfect list, 0 in the mean for a random one and exactly for a constant score.

    Examples
    --------
    >>> tail_strength([0, 0, 1, 1], [1, 2, 3, 4])
    1.0
    >>> tail_strength([0, 1, 0, 1], [1, 2, 3, 4])  # p-values 0 and 1/2
    0.625
    >>> tail_strength([0, 1, 0, 1], [1, 1, 1, 1])
    0.0
    """
    from scipy.special import digamma  # the metrics stay light to import

    mass = checked_mass(y_true, y_score, sample_weight, pos_label)
    m, n_negative = float(mass.positive[-1]), float(mass.negative[-1])
    before, above = mass.positive[:-1], mass.negative[:-1]
    tied, tied_negatives = np.diff(mass.positive), np.diff(mass.negative)
    # The j-th of `tied` positives has on average above + j step negatives above it, and is number before + j among the
    # positives. With harmonic numbers, the sum of the ratios over j is:
    step = tied_negatives / (tied + 1.0)
    ratios = step * tied + (above - before * step) * (digamma(before + tied + 1.0) - digamma(before + 1.0))
    return 1.0 - (m + 1.0) / m * float(np.sum(ratios)) / n_negative


def blocks_of(mass: CumulativeMass) -> Blocks:
    """Blocks of tied rows of a list that is known by its cumulative masses."""
    total, n = mass.total, float(mass.total[-1])
    # Rows below the block, plus half of the block, plus one half.
    rank = n - 0.5 * (total[1:] + total[:-1]) + 0.5
    return Blocks(np.diff(mass.positive), np.diff(mass.negative), rank, n)


def _gain(y_true: ArrayLike, y_score: ArrayLike, k: int | None, pos_label: object) -> tuple[float, float]:
    """DCG of the list and of the perfect list."""
    if k is not None:
        try:
            first = operator.index(k)
        except TypeError:
            first = 0
        if first < 1 or isinstance(k, bool):
            raise ValueError(
                f"k must be an integer of at least 1, got {k!r}; it is the number of positions that count."
            )
    mass = checked_mass(y_true, y_score, None, pos_label)
    position = np.arange(1, int(mass.total[-1]) + 1)
    discount = 1.0 / np.log2(1.0 + position)
    if k is not None:
        discount[k:] = 0.0
    end = mass.total.astype(np.int64)
    mean_discount = np.add.reduceat(discount, end[:-1]) / np.diff(end)
    return float(np.dot(np.diff(mass.positive), mean_discount)), float(discount[: int(mass.positive[-1])].sum())
