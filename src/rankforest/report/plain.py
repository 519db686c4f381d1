"""Arrays as short JSON values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["plain", "rounded"]


def plain(values: Any) -> list[Any]:
    """A list of numbers, whole ones without a decimal point; None for NaN.

    Examples
    --------
    >>> plain(np.array([1.0, 0.25, np.nan]))
    [1, 0.25, None]
    """
    return [_number(value) for value in np.asarray(values, dtype=np.float64).tolist()]


def rounded(values: Any, digits: int = 6) -> list[Any]:
    """The same with fewer digits, for drawing and reading.

    Examples
    --------
    >>> rounded([1 / 3, 20.0], 3)
    [0.333, 20]
    """
    return [_number(float(f"{value:.{digits}g}")) for value in np.asarray(values, dtype=np.float64).tolist()]


def _number(value: float) -> int | float | None:
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
