"""A budget: the best rows of a batch, so many as can be dealt with, and how many of them are likely to be positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray
from rankforest.extras import needed
from rankforest.metrics._held_out_list import HeldOutList
from rankforest.metrics.interval import Interval

__all__ = ["BudgetSelection", "best_rows", "clopper_pearson"]


@dataclass(frozen=True)
class BudgetSelection:
    """The best rows of a batch.

    Attributes
    ----------
    flagged : ndarray of bool
    budget : int
        Number of rows asked for; a smaller batch is flagged as a whole.
    threshold : float
        The least score of a flagged row.
    precision : Interval or None
        Share of positives among held-out rows with at least this score, with Clopper and Pearson's exact interval: the
        threshold depends on the batch alone, so these rows are a fresh sample. None without held-out rows.
    """

    flagged: BoolArray
    budget: int
    threshold: float
    precision: Interval | None

    @property
    def n_flagged(self) -> int:
        """Number of flagged rows."""
        return int(self.flagged.sum())

    def columns(self) -> dict[str, Any]:
        """One value per row, by name."""
        return {"flagged": self.flagged}

    def to_frame(self) -> Any:
        """A pandas frame with one line per row: flagged."""
        pd = needed("pandas", "BudgetSelection.to_frame needs", instead="use columns()")
        return pd.DataFrame(self.columns())

    def __str__(self) -> str:
        return self.text()

    def text(self, of_rows: str = "positive") -> str:
        """One sentence.

        Parameters
        ----------
        of_rows : str
            What rows of the positive label are called, such as "default" or "with late = 1".
        """
        said = (
            f"{self.n_flagged} of {len(self.flagged)} rows are flagged, those that score {self.threshold:.6g} or more"
        )
        if self.precision is None:
            return f"{said}."
        low, high, level = self.precision.low, self.precision.high, self.precision.confidence * 100
        are = f"have {of_rows.removeprefix('with ')}" if of_rows.startswith("with ") else f"are {of_rows}"
        return f"{said}; {self.precision.estimate:.3f} of such rows {are} [{low:.3f}, {high:.3f}] ({level:g}%)."


def best_rows(
    score: FloatArray, budget: int, lots: FloatArray | None, held_out: HeldOutList | None, confidence: float
) -> BudgetSelection:
    """Flag the best rows of a batch; rows that are tied at the edge are flagged in the order of their lots.

    Examples
    --------
    >>> found = best_rows(np.array([1.0, 3.0, 2.0]), 2, None, None, 0.95)
    >>> found.flagged, found.threshold
    (array([False,  True,  True]), 2.0)
    """
    order = np.lexsort((np.arange(len(score)) if lots is None else lots, -score))[:budget]
    flagged = np.zeros(len(score), dtype=bool)
    flagged[order] = True
    threshold = float(score[order[-1]]) if len(order) else np.inf
    precision = None
    if held_out is not None:
        positives, negatives = (int(count) for count in held_out.above(threshold))
        precision = clopper_pearson(positives, positives + negatives, confidence)
    return BudgetSelection(flagged, budget, threshold, precision)


def clopper_pearson(successes: int, n: int, confidence: float) -> Interval:
    """The exact interval of a probability: all values that neither tail of the binomial distribution contradicts.

    Examples
    --------
    >>> print(clopper_pearson(8, 10, 0.95))
    0.8000 [0.4439, 0.9748] (95%, Clopper-Pearson)
    """
    from scipy.special import betaincinv

    half = (1.0 - confidence) / 2.0
    low = float(betaincinv(successes, n - successes + 1.0, half)) if successes else 0.0
    high = float(betaincinv(successes + 1.0, n - successes, 1.0 - half)) if successes < n else 1.0
    share = successes / n if n else float("nan")
    error = float(np.sqrt(share * (1.0 - share) / n)) if n else float("inf")
    return Interval(share, low, high, error, confidence, "Clopper-Pearson")
