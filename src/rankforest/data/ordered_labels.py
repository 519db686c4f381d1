"""Ordered labels as they come in, read and checked before any work starts.

An ordinal model learns from labels L_1 < ... < L_k: grades, ratings, stages. Inside the library they are the codes
0 to k - 1; their positions on the line, which the ranking impurity and the errors measure with, are kept beside.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import narwhals as nw
import numpy as np

from .columns import objects
from .errors import InputError, Row, listed
from .labels import check_finite_labels, exact_array, family_of_labels, refuse_missing_objects
from .open_column import own_order
from .row_values import as_vector, check_length, refuse_nul

__all__ = ["MAX_LEVELS", "OrderedLabels", "read_ordered_labels"]

MAX_LEVELS = 100

_WANTED = "use numbers, booleans, an ordered categorical, or strings with order=[...]"
_CUT = "cut y into fewer classes first, for instance with pandas.qcut(y, 10, labels=False)"


@dataclass(frozen=True, eq=False)
class OrderedLabels:
    """Labels of ordered classes; made by `read_ordered_labels`.

    Attributes
    ----------
    codes : ndarray of uint8
        Level of each row, 0 = lowest.
    levels : ndarray of shape (k,)
        The labels from the lowest to the highest; ``levels[codes]`` gives the labels back.
    values : ndarray of float64 of shape (k,)
        Their positions L_1 < ... < L_k on the line.

    Examples
    --------
    >>> labels = read_ordered_labels([1.0, 4.0, 2.0, 1.0], n_rows=4)
    >>> labels.levels[labels.codes].tolist()
    [1.0, 4.0, 2.0, 1.0]
    """

    codes: np.ndarray
    levels: np.ndarray
    values: np.ndarray

    @property
    def names(self) -> np.ndarray:
        """The label of each code."""
        return self.levels

    @property
    def n_levels(self) -> int:
        """Number of levels k."""
        return len(self.levels)


def read_ordered_labels(y: Any, *, n_rows: int, order: Iterable[Any] | None = None) -> OrderedLabels:
    """Read and check ordered labels.

    Parameters
    ----------
    y : array-like or series of shape (n_rows,)
        2 to 100 distinct labels. Numbers and booleans are ordered as they are and keep their spacing. An ordered
        categorical (pandas, Arrow) or an enum (Polars) brings its own order, in steps of 1. All else needs `order`.
    n_rows : int
        Number of rows of the table that the labels belong to.
    order : sequence of labels, optional
        The labels from the lowest to the highest, in steps of 1 whatever they are. Labels that do not occur in `y`
        are left out, as are unused categories.

    Returns
    -------
    OrderedLabels

    Raises
    ------
    ValueError
        One sentence with the value and the remedy.

    Examples
    --------
    >>> labels = read_ordered_labels([10, 30, 10, 20], n_rows=4)
    >>> labels.codes, labels.values
    (array([0, 2, 0, 1], dtype=uint8), array([10., 20., 30.]))
    >>> labels = read_ordered_labels(["poor", "good", "fair"], n_rows=3, order=["poor", "fair", "good"])
    >>> labels.codes, labels.values
    (array([0, 2, 1], dtype=uint8), array([0., 1., 2.]))
    """
    if y is None:
        raise ValueError("An ordinal model requires y to be passed, but the target y is None; pass one label per row.")
    ranked = order_of(y) if order is None else check_order(order)
    labels = as_vector(_wrapped(y), "y")
    check_length(labels, n_rows, "y", "label")
    if ranked is not None:
        return _by_order(labels, ranked, given=order is not None)
    kind = labels.dtype.kind
    if kind in "biuf":
        return _by_number(labels)
    if kind in "OUT":
        return _by_object(labels)
    if kind == "c":
        raise ValueError(f"Complex data not supported: y has dtype {labels.dtype}; pass real labels.")
    raise ValueError(f"Unknown label type: y has dtype {labels.dtype}; {_WANTED}.")


def _by_number(labels: np.ndarray) -> OrderedLabels:
    if labels.dtype.kind == "f":
        check_finite_labels(labels)
    levels, codes = np.unique(labels, return_inverse=True)
    return _checked(codes, levels, levels.astype(np.float64))


def _by_object(labels: np.ndarray) -> OrderedLabels:
    labels = labels.astype(object) if labels.dtype.kind == "T" else labels  # NumPy's strings may hold missing values
    if labels.dtype.kind == "U" or family_of_labels(labels, wanted=_WANTED) == "text":
        found = sorted(set(labels.tolist()))
        _check_number_of_levels(found, len(labels))
        raise ValueError(
            f"y holds text ({listed(found)}), whose order is not known; give the labels from the lowest to the highest "
            "as order=[...], or pass an ordered categorical."
        )
    plain = exact_array(labels)
    if plain is not None:
        return _by_number(plain)
    # Exact numbers (Decimal, Fraction, large integers): the levels stay what they are, the positions are floats.
    positions = np.empty(len(labels))
    for row, label in enumerate(labels):
        try:
            positions[row] = label
        except OverflowError:
            positions[row] = np.inf
    check_finite_labels(positions)
    found = sorted(set(labels.tolist()))
    return _by_order(labels, tuple(found), given=False, positions=np.array([float(label) for label in found]))


def _by_order(
    labels: np.ndarray, ranked: tuple[Any, ...], *, given: bool, positions: np.ndarray | None = None
) -> OrderedLabels:
    refuse_missing_objects(labels)
    refuse_nul(ranked)
    place = {label: i for i, label in enumerate(ranked)}
    try:
        places = np.fromiter((place.get(label, -1) for label in labels.tolist()), np.int64, len(labels))
    except TypeError:
        raise ValueError(f"y holds labels that cannot be looked up in order; {_WANTED}.") from None
    unknown = places < 0
    if unknown.any():
        row = int(unknown.argmax())
        raise InputError(
            "y holds the label {value} in row {row}, which is not in order ({order}); add it to order, or drop the "
            "rows that have it.",
            value=repr(labels.tolist()[row]),
            row=Row(row),
            order=listed(ranked),
        )
    used, codes = np.unique(places, return_inverse=True)
    found = [ranked[i] for i in used]
    # of the user's own dtype where it is one of numbers or strings; `order` may name 1.0 what y calls 1
    levels = objects(found) if labels.dtype.kind in "OT" else np.array(found).astype(labels.dtype)
    return _checked(codes, levels, np.arange(float(len(used))) if positions is None else positions)


def _checked(codes: np.ndarray, levels: np.ndarray, values: np.ndarray) -> OrderedLabels:
    _check_number_of_levels(levels.tolist(), len(codes))
    with np.errstate(over="ignore"):
        reach = values[-1] - values[0]
    if not np.isfinite(reach):
        raise ValueError(
            f"The labels of y range from {levels[0]} to {levels[-1]}, too far apart for floats; rescale them."
        )
    steps = np.diff(values)
    if not steps.all():
        i = int((steps == 0).argmax())
        raise ValueError(
            f"The labels {levels[i]} and {levels[i + 1]} of y are equal as float64; rescale the labels, or give "
            "their order as order=[...]."
        )
    return OrderedLabels(codes.astype(np.uint8), levels, values)


def _check_number_of_levels(found: list[Any], n_rows: int) -> None:
    if len(found) == 1:
        raise ValueError(
            f"y holds one class only, the label {found[0]!r} in all {n_rows} rows; an ordinal model needs two or more."
        )
    if len(found) <= MAX_LEVELS:
        return
    if any(isinstance(label, numbers.Real) and not float(label).is_integer() for label in found):
        raise ValueError(
            f"Unknown label type: y is continuous, with {len(found)} distinct values ({listed(found)}); {_CUT}."
        )
    raise ValueError(f"y has {len(found)} levels ({listed(found)}), more than the {MAX_LEVELS} allowed; {_CUT}.")


def check_order(order: Any) -> tuple[Any, ...]:
    """The user's labels from the lowest to the highest, as a tuple."""
    if isinstance(order, str | bytes) or not isinstance(order, Iterable):
        _refuse_order(order, "not a list")
    ranked = tuple(order.tolist() if isinstance(order, np.ndarray) else order)
    try:
        distinct = set(ranked)
    except TypeError:
        _refuse_order(order, "a list of lists")
    if len(ranked) < 2:
        _refuse_order(order, "too short")
    if len(distinct) < len(ranked):
        twice = next(label for i, label in enumerate(ranked) if label in ranked[:i])
        raise ValueError(f"order holds {twice!r} twice; list every label once, from the lowest to the highest.")
    return ranked


def _refuse_order(order: Any, what: str) -> NoReturn:
    raise ValueError(f"order is {order!r}, {what}; list two or more labels from the lowest to the highest.")


def _wrapped(y: Any) -> Any:
    """A bare pandas categorical, such as pandas.qcut gives, as a series: it keeps its order then."""
    pandas = nw.dependencies.get_pandas()
    if pandas is not None and isinstance(y, pandas.Categorical | pandas.CategoricalIndex):
        return pandas.Series(y)
    return y


def order_of(y: Any) -> tuple[Any, ...] | None:
    """The categories of an ordered categorical, from the lowest to the highest; None for anything else."""
    native = nw.to_native(_wrapped(y), pass_through=True)
    if nw.dependencies.is_into_dataframe(native):
        frame = nw.from_native(native, eager_only=True)
        if frame.shape[1] != 1:
            return None
        series = next(iter(frame.iter_columns()))
    elif nw.dependencies.is_into_series(native):
        series = nw.from_native(native, series_only=True)
    else:
        return None
    return own_order(series) if series.dtype in (nw.Categorical, nw.Enum) else None
