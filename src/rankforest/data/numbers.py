"""Arguments as arrays of one dimension: what metrics and rank aggregation are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["BoolArray", "FloatArray", "as_numbers", "one_dimensional"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def one_dimensional(values: ArrayLike, name: str, remedy: str) -> NDArray[Any]:
    """The values as a one-dimensional array, or one sentence that names the argument and the remedy.

    Examples
    --------
    >>> one_dimensional(["no", "yes"], "y_true", "pass one label per row")
    array(['no', 'yes'], dtype='<U3')
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not an array of one dimension ({error}); {remedy}.") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}; {remedy}.")
    if array.dtype.kind == "U" and not isinstance(values, np.ndarray):
        given: Any = values
        for row, value in enumerate(given):
            if isinstance(value, str) and value.endswith("\0"):  # which NumPy drops
                raise ValueError(f"{name} holds {value!r} in row {row}, which ends with the character NUL; remove it.")
    return array


def as_numbers(values: ArrayLike, name: str, remedy: str) -> FloatArray:
    """The values as a one-dimensional float array, or one sentence that names the argument and the remedy.

    Examples
    --------
    >>> as_numbers([1, 2], "beta", "pass one value per point")
    array([1., 2.])
    """
    array = one_dimensional(values, name, remedy)
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{name} must hold real numbers, got {array.dtype} values such as {array[:1]!s}; {remedy}.")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold real numbers ({error}); {remedy}.") from None
