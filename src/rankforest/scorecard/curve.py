"""From totals to probabilities: the rate of positives in bands of totals, with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.parts import Parts, check_finite, check_moderate, need
from ..metrics.interval import check_confidence, wilson
from ..words import area, counts, number, percent
from .printed import frame_of, html_table, text_table

__all__ = ["TotalCurve"]

_BANDS = 20


@dataclass(frozen=True, repr=False, eq=False)
class TotalCurve:
    """Rows with labels in bands of totals, the lowest band first.

    Attributes
    ----------
    low, high : arrays
        Least and greatest total of the rows of each band.
    rows : array
        Number of rows.
    mass : array of shape (n_bands, 2)
        Weight of the negatives and of the positives.

    Examples
    --------
    >>> curve = TotalCurve.of(np.array([3.0, 5.0, 5.0, 8.0]), np.array([0, 0, 1, 1]), None, n_bands=3)
    >>> print(curve)
    total  rows    rate     interval
        3     1    0.0%    0.0-79.3%
        5     2   50.0%    9.5-90.5%
        8     1  100.0%  20.7-100.0%
    """

    low: np.ndarray
    high: np.ndarray
    rows: np.ndarray
    mass: np.ndarray

    @classmethod
    def of(
        cls, total: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, *, n_bands: int = _BANDS
    ) -> TotalCurve:
        """At most this many bands of about equally many rows; equal totals are in one band.

        Parameters
        ----------
        total : array
        labels : array of 0 and 1
        weights : array or None
        n_bands : int
        """
        distinct, place = np.unique(total, return_inverse=True)
        rows = np.bincount(place)
        middle = np.cumsum(rows) - rows / 2
        band = np.unique(np.floor(middle * n_bands / len(total)), return_inverse=True)[1]
        first = np.flatnonzero(np.diff(band, prepend=-1))
        last = np.append(first[1:], len(distinct)) - 1
        w = np.ones(len(total)) if weights is None else weights
        of_row = band[place]
        mass = np.column_stack([np.bincount(of_row, weights=w * (labels == k), minlength=len(first)) for k in (0, 1)])
        return cls(distinct[first], distinct[last], np.bincount(of_row).astype(np.float64), mass)

    def __len__(self) -> int:
        return len(self.low)

    @property
    def rate(self) -> np.ndarray:
        """Share of positives in each band."""
        return self.mass[:, 1] / self.mass.sum(axis=1)

    def interval(self, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Ends of Wilson's interval of the rate of each band; each row is one trial, whatever its weight."""
        check_confidence(level)
        return wilson(self.rate, self.rows, level)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name."""
        rate_low, rate_high = self.interval()
        return {
            "low": self.low, "high": self.high, "rows": self.rows, "rate": self.rate, "rate_low": rate_low,
            "rate_high": rate_high,
        }  # fmt: skip

    def to_frame(self) -> Any:
        """The table as a pandas data frame."""
        return frame_of(self.to_dict(), "TotalCurve")

    def _cells(self) -> list[tuple[str, ...]]:
        rate_low, rate_high = self.interval()
        rows = counts(self.rows)
        return [
            ("total", "rows", "rate", "interval"),
            *(
                (
                    _span(self.low[i], self.high[i]),
                    rows[i],
                    percent(self.rate[i]),
                    f"{area(100 * rate_low[i], 1)}-{percent(rate_high[i])}",
                )
                for i in range(len(self))
            ),
        ]

    def __str__(self) -> str:
        return text_table(self._cells())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._cells())

    def to_parts(self) -> dict[str, np.ndarray]:
        """All of it as plain data."""
        return {"low": self.low, "high": self.high, "rows": self.rows, "mass": self.mass}

    @classmethod
    def from_parts(cls, parts: Parts) -> TotalCurve:
        """The same again, checked."""
        low = parts.array("low", np.float64, None)
        high, rows = (parts.array(name, np.float64, len(low)) for name in ("high", "rows"))
        mass = parts.array("mass", np.float64, len(low), 2)
        check_moderate(np.concatenate([low, high]), "totals")
        check_finite(rows, "rows", least=1.0)
        check_finite(mass, "mass", least=0.0)
        need((mass.sum(axis=1) > 0).all(), "a band of its totals has no weight")
        need((low <= high).all() and (high[:-1] < low[1:]).all(), "the bands of its totals do not increase")
        return cls(low, high, rows, mass)


def _span(low: float, high: float) -> str:
    told = [number(total, 6 if total == round(total) else 4) for total in (low, high)]
    return told[0] if low == high else " to ".join(told)
