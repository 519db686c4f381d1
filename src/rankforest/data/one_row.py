"""A single row to score, coded value by value.

To look at the types of twenty columns takes longer than to score the row. So a row that looks as in fit is coded
directly. `coded_row` returns None for everything else: such a row is read, and refused, as any table is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from .open_column import family_of
from .schema import Schema

__all__ = ["coded_row", "only_row"]


def only_row(X: Any) -> list[Any] | None:
    """The values of a frame of one row, else None."""
    if nw.dependencies.is_pandas_dataframe(X):  # narwhals takes ten times as long to wrap the frame
        return [X.iat[0, j] for j in range(X.shape[1])] if len(X) == 1 else None
    if nw.dependencies.is_polars_dataframe(X):
        return list(X.row(0)) if len(X) == 1 else None
    frame = nw.from_native(X, eager_only=True)
    return list(frame.row(0)) if len(frame) == 1 else None


def coded_row(X: Any, schema: Schema) -> np.ndarray | None:
    """A row with the names and kinds of values of the schema as float64 of shape (1, q), categories as codes.

    Parameters
    ----------
    X : table that a model scores
    schema : Schema

    Returns
    -------
    ndarray or None
        None if `X` has several rows, if it is no pandas or Polars frame and no array of objects, or if anything about
        it needs a second look: other names, other kinds of values, infinite numbers.
    """
    if type(X) is np.ndarray:
        plain = not schema.named and X.dtype == object and X.ndim == 2 and len(X) == 1
        return _coded(X[0].tolist(), schema) if plain else None
    if nw.dependencies.is_pandas_dataframe(X):
        names = X.columns.tolist()
    elif nw.dependencies.is_polars_dataframe(X):
        names = X.columns
    else:
        return None
    if len(X) != 1 or not schema.named or tuple(names) != schema.names:
        return None
    return _coded(only_row(X) or [], schema)


def _coded(values: Sequence[Any], schema: Schema) -> np.ndarray | None:
    if len(values) != schema.n_features:
        return None
    coded = []
    for value, codes in zip(values, schema.codes_of_values):
        code = _number(value) if codes is None else _code(value, codes)
        if code is None:
            return None
        coded.append(code)
    return np.array([coded])


def _family(value: Any) -> str:
    kind: type = type(value)
    return family_of(kind)


def _number(value: Any) -> float | None:
    """A finite number, NaN if it is missing, None if it is something else."""
    family = _family(value)
    if family == "missing":
        return math.nan
    if family != "number":
        return None
    try:
        number = float(value)
    except (ArithmeticError, ValueError):  # too large, or a signalling NaN of Decimal
        return None
    return None if math.isinf(number) else number


def _code(value: Any, codes: dict[Any, float]) -> float | None:
    """The code of a category, NaN if it is missing or was not seen in fit, None if it is no such value."""
    if (code := codes.get(value) if type(value) is str else None) is not None:
        return code
    family = _family(value)
    fitted_on = _family(next(iter(codes)))
    if family == "missing":
        return math.nan
    if family == fitted_on == "text":
        return codes.get(value, math.nan)
    if family == fitted_on == "boolean":
        return codes.get(bool(value), math.nan)
    if family != "number":
        return None
    number = _number(value)
    if number is None or math.isnan(number):
        return number
    return codes.get(number, math.nan) if fitted_on == "number" else None
