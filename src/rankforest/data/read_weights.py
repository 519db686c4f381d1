"""The weights of the rows as they come in, read and checked before any work starts."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .columns import first_value
from .errors import InputError, Row
from .open_column import open_array
from .row_values import as_vector, check_length
from .weights import moderate_weights

__all__ = ["numbers_of_weights", "read_weights"]


def read_weights(sample_weight: Any, *, n_rows: int) -> np.ndarray | None:
    """Read and check the weights of the rows.

    Parameters
    ----------
    sample_weight : array-like or series of shape (n_rows,), or None
        Non-negative weights, of which only the ratios matter. A weight of 0 is allowed here; the caller leaves such
        rows out.
    n_rows : int
        Number of rows of the table that the weights belong to.

    Returns
    -------
    ndarray of float64 or None
        None where no weights were given; otherwise possibly the user's own array: do not write to it. Extreme weights
        are scaled, see `moderate_weights`.

    Raises
    ------
    ValueError
        One sentence with the row, the value and the remedy.

    Examples
    --------
    >>> read_weights([1, 2, 0], n_rows=3)
    array([1., 2., 0.])
    >>> read_weights(None, n_rows=3) is None
    True
    """
    if sample_weight is None:
        return None
    values = as_vector(sample_weight, "sample_weight")
    check_length(values, n_rows, "sample_weight", "weight")
    weights = numbers_of_weights(values)
    least, greatest = weights.min(), weights.max()  # NaN where any is
    if not (least >= 0 and np.isfinite(greatest)):
        _refuse_weights(weights)
    if greatest == 0:
        raise ValueError("sample_weight is zero in every row; give some rows of both classes a weight above 0.")
    return moderate_weights(weights)


def numbers_of_weights(values: np.ndarray) -> np.ndarray:
    """Weights as float64; what is no number is refused."""
    if values.dtype.kind == "c":
        raise ValueError("Complex data not supported: sample_weight is complex; pass one real number per row.")
    column = open_array(values, "sample_weight")
    if column.family == "text":
        row, text = first_value(column) or (0, "")
        raise InputError(
            "sample_weight holds text ({value!r} in row {row}); pass one number per row.", value=text, row=Row(row)
        )
    return column.floats()


def _refuse_weights(weights: np.ndarray) -> NoReturn:
    faults = (
        (np.isnan(weights), "NaN", "give every row a weight, 0 to leave it out"),
        (np.isinf(weights), "infinite", "give every row a finite weight"),
        (weights < 0, "negative", "weights must be 0 or more"),
    )
    bad, what, remedy = next(fault for fault in faults if fault[0].any())
    row = int(bad.argmax())
    raise InputError(
        "sample_weight is {what} in row {row} ({value}); {remedy}.",
        what=what,
        row=Row(row),
        value=float(weights[row]),
        remedy=remedy,
    )
