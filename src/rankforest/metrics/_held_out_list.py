"""The scores of held-out rows, by class: what decisions about fresh rows are based on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.data.read_hold_out import read_hold_out
from rankforest.metrics._inputs import check_ranking_inputs, check_share

__all__ = ["HeldOutList", "check_one_share", "one_row_each"]


class HeldOutList(NamedTuple):
    """Scores of the held-out positives and negatives, each in ascending order."""

    positive: FloatArray
    negative: FloatArray

    @staticmethod
    def of(is_positive: np.ndarray, score: np.ndarray) -> HeldOutList:
        """The list of rows that no model was trained on."""
        return HeldOutList(np.sort(score[is_positive]), np.sort(score[~is_positive]))

    @staticmethod
    def checked(
        y_true: ArrayLike, y_score: ArrayLike, pos_label: object, groups: Any = None, seed: Any = 0
    ) -> HeldOutList:
        """The same from arguments of any kind; of each group one row, drawn at random."""
        is_positive, score, _ = check_ranking_inputs(y_true, y_score, pos_label=pos_label)
        codes = read_hold_out(groups, None, n_rows=len(score)).groups
        if codes is not None:
            rows = one_row_each(codes, seed)
            is_positive, score = is_positive[rows], score[rows]
        return HeldOutList.of(is_positive, score)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.positive) + len(self.negative)

    def above(self, threshold: Any, *, side: str = "left") -> tuple[Any, Any]:
        """Positives and negatives at or above each threshold; with ``side="right"`` those above it.

        Examples
        --------
        >>> HeldOutList(np.array([2.0, 3.0]), np.array([1.0, 2.0])).above(np.array([2.0, 3.0]))
        (array([2, 1]), array([1, 0]))
        """
        found = (len(scores) - np.searchsorted(scores, threshold, side=side) for scores in self)  # type: ignore[call-overload]
        positives, negatives = found
        return positives, negatives


def one_row_each(codes: np.ndarray, seed: Any) -> np.ndarray:
    """Positions of one row of each group, drawn at random: rows that are exchangeable with those of fresh groups.

    Examples
    --------
    >>> one_row_each(np.array([0, 0, 1, 1, 1, 2]), 0)
    array([0, 3, 5])
    """
    order = np.random.default_rng(seed).permutation(len(codes))
    return np.sort(order[np.unique(codes[order], return_index=True)[1]])


def check_one_share(value: Any, name: str, meaning: str) -> float:
    """One number in (0, 1).

    Examples
    --------
    >>> check_one_share(0.8, "precision", "it is the least share of positives among the flagged rows")
    0.8
    """
    share = check_share(value, name, meaning)
    if share.ndim or not float(share) < 1.0:
        raise ValueError(f"{name} must be one number in (0, 1), got {value!r}; {meaning}.")
    return float(share)
