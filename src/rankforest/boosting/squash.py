"""Map from margins, which are real numbers, to scores in (0, 1)."""

from __future__ import annotations

import numpy as np

__all__ = ["squash"]


def squash(margin: np.ndarray) -> np.ndarray:
    """1/2 + m / (2 + 2|m|). Unlike the logistic function it does not round large margins to 1.

    Examples
    --------
    >>> squash(np.array([-1.0, 0.0, 3.0]))
    array([0.25 , 0.5  , 0.875])
    """
    return 0.5 + 0.5 * margin / (1.0 + np.abs(margin))
