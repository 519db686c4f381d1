"""Weighted sums of standardised columns as part of a program."""

from __future__ import annotations

import numpy as np

from ..data.encoding import Standardization
from .program import Linear

__all__ = ["weighted_sum"]


def weighted_sum(scaling: Standardization, coef: np.ndarray) -> Linear:
    """The sum of coef times the standardised columns, in terms of the features themselves.

    Parameters
    ----------
    scaling : Standardization
    coef : array, one weight per standardised column
    """
    encoding, weight = scaling.encoding, coef / scaling.scale
    assert encoding.means is not None, "missing numbers become the mean"
    numbers = []
    for k, j in enumerate(encoding.numeric):
        missing = float(weight[k] * (encoding.means[k] - scaling.mean[k]))
        numbers.append((int(j), float(scaling.mean[k]), float(weight[k]), missing))
    categories, first = [], len(encoding.numeric)
    for j, codes in encoding.categories:
        columns = slice(first, first + len(codes))
        missing = float(-weight[columns] @ scaling.mean[columns])
        of_code = np.full(len(scaling.schema.features[j].categories or ()), missing)
        of_code[codes.astype(np.intp)] += weight[columns]
        categories.append((j, tuple(of_code.tolist()), missing))
        first += len(codes)
    return Linear(tuple(numbers), tuple(categories))
