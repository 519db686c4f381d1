"""Conformal selection: rows of a batch are flagged so that few of them are false discoveries (Jin and Candès, 2023).

**P-values.** The hypothesis of a row is that it is negative. With n held-out rows, c of them negatives that score at
least as high as the row, its p-value is (1 + c) / (n + 1): if the row is negative and the rows are exchangeable, at
most a share t of such rows has a p-value of t or less. The score may come from any model that did not see the held-out
rows, and its scale does not matter.

**Selection.** Benjamini and Hochberg's rule at the level q = 1 - precision flags the k rows with the least p-values,
for the greatest k with p(k) <= q k / m in a batch of m rows. All p-values share the held-out rows; this dependence does
no harm. The expected share of negatives among the flagged rows (0 if none is flagged) is at most q. It is a mean over
held-out samples and batches: in a single batch the share may be larger.

**Class shares.** If only the negatives are exchangeable, because the batch has another rate of positives, c is compared
with the held-out negatives alone: (1 + c) / (n0 + 1), as in outlier detection (Bates et al., 2023). Fewer rows are
flagged then.

**Groups.** Rows of one customer are not exchangeable with those of a fresh one. Of each held-out group one row is drawn
at random: these rows and one of a fresh group are exchangeable. In a batch with several rows of a group each p-value is
sound, and the rows are flagged by e-values, which do not mind how the rows of a group depend on each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import BoolArray, FloatArray, as_numbers
from rankforest.data.read_hold_out import group_codes
from rankforest.extras import needed
from rankforest.metrics._grouped_batch import stand_out_in_groups
from rankforest.metrics._held_out_list import HeldOutList, check_one_share

__all__ = ["ConformalSelection", "conformal_p_values", "conformal_selection"]

_ROUNDING = 1.0 + 1e-12
_MEANING = "it is the share of positives among the flagged rows, such as 0.8"


@dataclass(frozen=True)
class ConformalSelection:
    """The flagged rows of a batch, with at most an expected share 1 - precision of negatives among them.

    Attributes
    ----------
    flagged : ndarray of bool
    p_value : ndarray
        Conformal p-value of each row, for the hypothesis that it is negative.
    precision : float
        The guarantee.
    n_held_out, n_negatives : int
        Held-out rows behind the p-values, one of each group, and the negatives among them.
    fewest : int
        The least number of rows that can be flagged in a batch of this size: with fewer, even the least possible
        p-value is too large.
    """

    flagged: BoolArray
    p_value: FloatArray
    precision: float
    n_held_out: int
    n_negatives: int
    fewest: int

    @property
    def n_flagged(self) -> int:
        """Number of flagged rows."""
        return int(self.flagged.sum())

    def columns(self) -> dict[str, Any]:
        """One value per row, by name."""
        return {"flagged": self.flagged, "p_value": self.p_value}

    def to_frame(self) -> Any:
        """A pandas frame with one line per row: flagged, p_value."""
        pd = needed("pandas", "ConformalSelection.to_frame needs", instead="use columns()")
        return pd.DataFrame(self.columns())

    def __str__(self) -> str:
        m, found = len(self.flagged), self.n_flagged
        if found:
            return (
                f"{found} of {m} rows are flagged; the expected share of positives among them is at least "
                f"{self.precision:g} ({self.n_held_out} held-out rows, {self.n_negatives} negatives)."
            )
        return (
            f"None of {m} rows is flagged: at precision {self.precision:g} and with {self.n_held_out} held-out rows, "
            f"at least {self.fewest} rows must stand out at once; hold out more rows, or lower the precision."
        )


def conformal_p_values(
    y_held_out: ArrayLike,
    held_out_score: ArrayLike,
    score: ArrayLike,
    *,
    exchangeable: str = "rows",
    ties: str = "conservative",
    held_out_groups: Any = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> FloatArray:
    """P-value of each fresh row for the hypothesis that it is negative; small for rows that stand out.

    Parameters
    ----------
    y_held_out, held_out_score : array-like of shape (n,)
        Labels of two classes and scores of rows that the model was not trained on.
    score : array-like of shape (m,)
        Scores of fresh rows by the same model.
    exchangeable : {"rows", "negatives"}
        What the held-out rows and the fresh rows have in common: all rows come from the same population, or only the
        negatives do, and the rate of positives may be another one.
    ties : {"conservative", "random"}
        A row tied with held-out negatives counts as below all of them, or is placed among them by lot.
    held_out_groups : array-like of shape (n,), optional
        Equal for held-out rows that are not independent, such as those of one customer: one row of each group is used.
    pos_label, random_state
        The positive label, as in :func:`roc_curve`; the seed of the lots and of the rows of the groups.

    Examples
    --------
    >>> conformal_p_values([0, 0, 0, 1], [1, 2, 3, 4], [0, 2, 3.5])
    array([0.8, 0.6, 0.2])
    >>> conformal_p_values([0, 0, 0, 1], [1, 2, 3, 4], [0, 2, 3.5], exchangeable="negatives")
    array([1.  , 0.75, 0.25])
    """
    held_out = HeldOutList.checked(y_held_out, held_out_score, pos_label, held_out_groups, random_state)
    return _p_values(held_out, _fresh(score), _size(held_out, exchangeable), ties, random_state)


def conformal_selection(
    y_held_out: ArrayLike,
    held_out_score: ArrayLike,
    score: ArrayLike,
    precision: float = 0.8,
    *,
    exchangeable: str = "rows",
    ties: str = "conservative",
    held_out_groups: Any = None,
    groups: Any = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> ConformalSelection:
    """Flag rows of a batch so that the expected share of positives among them is at least ``precision``.

    This holds for every model and every distribution, if the model was not trained on the held-out rows and these and
    the batch are exchangeable. The rows are judged together: the same row may be flagged in one batch and not in
    another. For a rule for single rows see :func:`precision_threshold`.

    Parameters
    ----------
    y_held_out, held_out_score, score, exchangeable, ties, held_out_groups, pos_label, random_state
        As in :func:`conformal_p_values`.
    precision : float, default 0.8
        In (0, 1); the false discovery rate is at most 1 - precision.
    groups : array-like of shape (m,), optional
        Equal for rows of the batch that are not independent. Without them each row of the batch must be independent of
        the others. No lots are drawn for ties then.

    Returns
    -------
    ConformalSelection

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y, fresh = (rng.random((2, 500)) < 0.3).astype(int)
    >>> held_out_score, score = y + 0.5 * rng.normal(size=500), fresh + 0.5 * rng.normal(size=500)
    >>> found = conformal_selection(y, held_out_score, score, 0.9)
    >>> found.n_flagged, round(float(fresh[found.flagged].mean()), 3)
    (76, 0.895)
    """
    held_out = HeldOutList.checked(y_held_out, held_out_score, pos_label, held_out_groups, random_state)
    return select_batch(
        held_out,
        _fresh(score),
        check_precision(precision),
        exchangeable=exchangeable,
        ties=ties,
        groups=groups,
        seed=random_state,
    )


def select_batch(
    held_out: HeldOutList,
    score: FloatArray,
    precision: float,
    *,
    exchangeable: str = "rows",
    ties: str = "conservative",
    groups: Any = None,
    seed: Any = 0,
) -> ConformalSelection:
    """The result of :func:`conformal_selection` from a list of held-out scores."""
    n = _size(held_out, exchangeable)
    check_enough(n, precision, exchangeable)
    p_value = _p_values(held_out, score, n, ties, seed)
    level, m = 1.0 - precision, len(score)
    flagged = benjamini_hochberg(p_value, level)
    if groups is not None:
        if ties != "conservative":
            raise ValueError("ties are broken by lot for rows without groups only; use ties='conservative'.")
        codes = group_codes(groups, m)[0]
        flagged = stand_out_in_groups(held_out.negative, n, score, codes, level, flagged)
    return ConformalSelection(
        flagged=flagged,
        p_value=p_value,
        precision=precision,
        n_held_out=held_out.n,
        n_negatives=len(held_out.negative),
        fewest=int(np.ceil(m / (level * (n + 1)) / _ROUNDING)),
    )


def benjamini_hochberg(p_value: FloatArray, level: float) -> BoolArray:
    """Whether each hypothesis is rejected at a false discovery rate of at most the level.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.9, 0.03, 0.04]), 0.06)
    array([ True, False,  True,  True])
    """
    m = len(p_value)
    ordered = np.sort(p_value)
    good = np.flatnonzero(ordered <= level * _ROUNDING * np.arange(1, m + 1) / max(m, 1))
    return np.zeros(m, dtype=bool) if len(good) == 0 else p_value <= ordered[good[-1]]


def check_precision(precision: float) -> float:
    """A precision in (0, 1)."""
    return check_one_share(precision, "precision", _MEANING)


def check_enough(n: int, precision: float, exchangeable: str = "rows") -> None:
    """Refuse a precision that no batch can reach: the least p-value of n held-out rows is 1 / (n + 1)."""
    least = int(np.ceil(precision / (1.0 - precision) / _ROUNDING))
    if n < least:
        raise ValueError(
            f"With {n} held-out {exchangeable} no row can be flagged at a precision of {precision:g}; at least {least} "
            "are needed. Hold out more, or lower the precision."
        )


def _size(held_out: HeldOutList, exchangeable: str) -> int:
    if exchangeable not in ("rows", "negatives"):
        raise ValueError(
            f"exchangeable must be 'rows' or 'negatives', got {exchangeable!r}; with 'rows' the batch has the same "
            "rate of positives as the held-out rows."
        )
    return held_out.n if exchangeable == "rows" else len(held_out.negative)


def _p_values(held_out: HeldOutList, score: FloatArray, n: int, ties: str, seed: Any) -> FloatArray:
    if ties not in ("conservative", "random"):
        raise ValueError(f"ties must be 'conservative' or 'random', got {ties!r}; use 'conservative' to draw no lots.")
    _, as_high = held_out.above(score)
    if ties == "conservative":
        return np.asarray((1.0 + as_high) / (n + 1.0))
    _, higher = held_out.above(score, side="right")
    lot = 1.0 - np.random.default_rng(seed).random(len(score))  # in (0, 1]
    return np.asarray((higher + lot * (1.0 + as_high - higher)) / (n + 1.0))


def _fresh(score: ArrayLike) -> FloatArray:
    found = as_numbers(score, "score", "pass one score per row, such as decision_function(X)")
    bad = ~np.isfinite(found)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"score must be finite, got {found[row]} in row {row}; drop the rows without a usable score.")
    return found
