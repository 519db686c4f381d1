"""Weights of rows, scaled to a range in which their sums and products do not overflow or underflow.

Only the ratios of weights matter to a model or a metric. Multiplication by a power of two keeps all ratios exact, so
extreme weights (1e-300, 1e300) give the same result as ordinary ones. Ordinary weights are not scaled, so that masses
are reported in the user's units.
"""

from __future__ import annotations

import math

import numpy as np

from .errors import InputError, Row

__all__ = ["MOST_RATIO", "moderate_weights"]

# Beyond this ratio the least weight is lost when it is added to the greatest.
MOST_RATIO = 2.0**52
_ORDINARY = 64  # exponents of 2 around 0 within which weights are not scaled


def moderate_weights(weights: np.ndarray, *, most_ratio: float = MOST_RATIO) -> np.ndarray:
    """Weights in the same ratios, the greatest of them in a moderate range.

    Parameters
    ----------
    weights : array
        Finite, 0 or more.
    most_ratio : float
        Of the greatest weight to the least above 0; more is refused.

    Returns
    -------
    array
        The same one if its greatest weight lies between 2**-65 and 2**64, else a multiple with the greatest below 1.

    Examples
    --------
    >>> moderate_weights(np.array([1.0, 2.0, 0.0]))
    array([1., 2., 0.])
    >>> moderate_weights(np.array([2.0**1000, 2.0**1001, 0.0]))
    array([0.25, 0.5 , 0.  ])
    """
    greatest, least = float(weights.max()), float(weights.min())
    if greatest == 0:
        return weights
    if least == 0:
        least = float(weights.min(where=weights > 0, initial=np.inf))
    # the greatest is divided, because the product of the least and the ratio may overflow
    if greatest / most_ratio > least:
        raise InputError(
            "sample_weight is {least:g} in row {least_row} and {greatest:g} in row {greatest_row}, too far apart to "
            "be summed exactly; set tiny weights to 0, or raise them.",
            least=least,
            least_row=Row((weights == least).argmax()),
            greatest=greatest,
            greatest_row=Row(weights.argmax()),
        )
    exponent = math.frexp(greatest)[1]
    return weights if abs(exponent) <= _ORDINARY else np.ldexp(weights, -exponent)
