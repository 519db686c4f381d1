"""One value for each row, as it comes in: labels, weights, groups or times as a vector of the right length."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NoReturn

import narwhals as nw
import numpy as np
from scipy import sparse

from .columns import objects
from .errors import InputError, Row
from .open_column import decode_dictionary, plain_series

__all__ = ["as_vector", "check_length", "refuse_nul"]


def check_length(values: np.ndarray, n_rows: int, name: str, unit: str) -> None:
    """Check that there is one label, or weight, per row."""
    if len(values) != n_rows:
        raise ValueError(f"X has {n_rows} rows but {name} has {len(values)} {unit}s; pass one {unit} for each row.")
    if n_rows == 0:
        raise ValueError(f"{name} is empty; pass at least one {unit}.")


def as_vector(values: Any, name: str) -> np.ndarray:
    """A one-dimensional array from a series, an array-like or a table of one column."""
    values = nw.to_native(values, pass_through=True)
    if nw.dependencies.is_into_dataframe(values):
        frame = nw.from_native(values, eager_only=True)
        if frame.shape[1] == 1 and name == "y":
            _warn_column_vector()
            return _from_series(next(iter(frame.iter_columns())), name)
        _refuse_shape(name, frame.shape)
    if nw.dependencies.is_into_series(values):
        return _from_series(nw.from_native(values, series_only=True), name)
    if sparse.issparse(values):
        raise ValueError(f"{name} is a sparse {type(values).__name__}; pass a dense one-dimensional array.")
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        # np.asarray would silently bring the masked values back.
        unmasked = values.data.astype(object)
        unmasked[np.ma.getmaskarray(values)] = None
        values = unmasked
    try:
        array = np.asarray(values)
        if array.dtype.kind == "U" and isinstance(values, list | tuple) and set(map(type, values)) != {str}:
            # Of [1, "a"] NumPy makes two strings; as objects the mix is seen.
            array = np.array(values, dtype=object)
        if array.dtype.kind == "f" and isinstance(values, list | tuple) and array.tolist() != list(values):
            array = np.array(values, dtype=object)  # of [-1, 2**63 + 1] NumPy makes two floats, of None a NaN
        if array.dtype.kind == "U" and name == "y" and not isinstance(values, np.ndarray):
            refuse_nul(values)  # NumPy has dropped it already
    except InputError:
        raise
    except ValueError as error:
        raise ValueError(f"{name} should be a 1d array, but its entries have different lengths.") from error
    if array.ndim == 2 and array.shape[1] == 1 and name == "y":
        _warn_column_vector()
        array = array[:, 0]
    if array.ndim != 1:
        _refuse_shape(name, array.shape)
    return array


def refuse_nul(values: Iterable[Any]) -> None:
    """Refuse text that ends with NUL: NumPy drops it, so that labels that differ would be one."""
    for row, value in enumerate(values):
        if isinstance(value, str) and value.endswith("\0"):
            raise InputError(
                "The label {value!r} in row {row} ends with the character NUL, which NumPy drops; remove it.",
                value=str(value),
                row=Row(row),
            )


def _from_series(series: nw.Series[Any], name: str) -> np.ndarray:
    series = plain_series(series)
    if series.dtype in (nw.Decimal, nw.Int128, nw.UInt128):
        return _from_wide(series) if name == "y" else series.cast(nw.Float64).to_numpy()
    if series.dtype.is_numeric():
        return series.to_numpy()
    if series.dtype == nw.Boolean and series.null_count() == 0:
        return series.to_numpy().astype(bool, copy=False)
    return objects(decode_dictionary(series).to_list())


def _from_wide(series: nw.Series[Any]) -> np.ndarray:
    """Labels of more than 64 bits or of decimals: whole numbers stay exact, others become floats if that tells them."""
    values = series.to_list()
    present = {value for value in values if value is not None}
    if all(value == int(value) for value in present):
        return objects([None if value is None else int(value) for value in values])
    if len(set(map(float, present))) < len(present):
        raise ValueError(f"y has {len(present)} labels, and some of them are equal as float64; rescale them.")
    return series.cast(nw.Float64).to_numpy()


def _refuse_shape(name: str, shape: tuple[int, ...]) -> NoReturn:
    raise ValueError(f"{name} should be a 1d array with one value per row, got an array of shape {shape} instead.")


def _warn_column_vector() -> None:
    # Imported here: the rest of this module does not need scikit-learn, which is slow to import.
    from sklearn.exceptions import DataConversionWarning

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples, ), for "
        "example using ravel().",
        DataConversionWarning,
        stacklevel=5,  # this function, as_vector, read_labels, the estimator's fit, and then the user's line
    )
