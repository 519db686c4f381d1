"""Rows that stand for a list: those that other rows are compared with."""

from __future__ import annotations

import numpy as np

__all__ = ["USUAL_BACKGROUND", "evenly_spaced"]

USUAL_BACKGROUND = 100


def evenly_spaced(scores: np.ndarray, n: int = USUAL_BACKGROUND) -> np.ndarray:
    """Positions of at most n rows, evenly spaced in the order of their scores, the lowest first.

    Their mean score is close to that of all rows.

    Examples
    --------
    >>> evenly_spaced(np.array([0.5, 0.1, 0.9, 0.2, 0.3, 0.6]), 3)
    array([3, 0, 2])
    """
    order = np.argsort(scores, kind="stable")
    m = min(n, len(order))
    return order[((np.arange(m) + 0.5) * len(order) / m).astype(np.intp)]
