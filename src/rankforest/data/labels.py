"""The labels of two classes as they come in, read and checked before any work starts.

A ranking is learned from two classes. Their labels may be any two numbers, strings or booleans; inside the library
they are the codes 0 (negative) and 1 (positive). Rows in error messages count from 0.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .errors import InputError, Row, listed
from .open_column import family_of, survey
from .row_values import as_vector, check_length, refuse_nul
from .yes_no import default_positive

__all__ = ["Labels", "check_two_classes", "read_known_labels", "read_labels"]


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of two classes; made by `read_labels`.

    Attributes
    ----------
    codes : ndarray of uint8
        1 for a positive row, 0 for a negative one.
    classes : ndarray of shape (2,)
        The label of the negatives, then the label of the positives; ``classes[codes]`` gives the labels back.

    Examples
    --------
    >>> labels = read_labels(["no", "yes", "no"], n_rows=3)
    >>> labels.classes[labels.codes].tolist()
    ['no', 'yes', 'no']
    """

    codes: np.ndarray
    classes: np.ndarray

    @property
    def names(self) -> np.ndarray:
        """The label of each code."""
        return self.classes


def read_labels(y: Any, *, n_rows: int, pos_label: Any = None) -> Labels:
    """Read and check binary labels.

    Parameters
    ----------
    y : array-like or series of shape (n_rows,)
        Two distinct values: numbers, strings, booleans, also of a categorical dtype.
    n_rows : int
        Number of rows of the table that the labels belong to.
    pos_label : optional
        The label of the positives. By default the one that says yes, of two words such as "ja" and "nein" (see
        `rankforest.data.yes_no`); of any other two the greater.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        One sentence with the value and the remedy.

    Examples
    --------
    >>> labels = read_labels([1, -1, 1], n_rows=3)
    >>> labels.codes, labels.classes
    (array([1, 0, 1], dtype=uint8), array([-1,  1]))
    >>> read_labels(["ill", "well", "well"], n_rows=3, pos_label="ill").codes
    array([1, 0, 0], dtype=uint8)
    >>> read_labels(["ja", "nein", "nein"], n_rows=3).codes
    array([1, 0, 0], dtype=uint8)
    """
    if y is None:
        raise ValueError("A ranking model requires y to be passed, but the target y is None; pass one label per row.")
    values = as_vector(y, "y")
    check_length(values, n_rows, "y", "label")
    kind = values.dtype.kind
    if kind in "biuf":
        codes, classes = _two_numbers(values)
    elif kind in "OUT":
        codes, classes = _two_objects(values)
    elif kind == "c":
        raise ValueError(f"Complex data not supported: y has dtype {values.dtype}; pass two real labels.")
    else:
        raise ValueError(f"Unknown label type: y has dtype {values.dtype}; use two numbers, strings or booleans.")
    negative, positive = classes.tolist()
    if pos_label is None:
        pos_label = default_positive(negative, positive)
    if pos_label == positive:
        return Labels(codes, classes)
    if pos_label == negative:
        return Labels(codes ^ np.uint8(1), classes[::-1].copy())
    raise ValueError(f"pos_label={pos_label!r} is not among the labels of y; it must be {negative!r} or {positive!r}.")


def read_known_labels(y: Any, *, n_rows: int, classes: np.ndarray, pos_label: Any, purpose: str) -> Labels:
    """Read labels that have to be the two that a model was fitted on.

    Parameters
    ----------
    y, n_rows
        As in `read_labels`.
    classes : array of shape (2,)
        The labels of the fit.
    pos_label : label
        The one at the top.
    purpose : str
        What the labels are for, to end the sentence "... with the same two labels".

    Examples
    --------
    >>> read_known_labels([1, 0], n_rows=2, classes=np.array([0, 1]), pos_label=0, purpose="prune").codes
    array([0, 1], dtype=uint8)
    """
    found = read_labels(y, n_rows=n_rows).classes.tolist()
    if set(found) != set(classes.tolist()):
        raise ValueError(
            f"y has the labels {found}, and the model was fitted on {classes.tolist()}; {purpose} with the same two "
            "labels."
        )
    return read_labels(y, n_rows=n_rows, pos_label=pos_label)


def check_two_classes(codes: np.ndarray, weights: np.ndarray | None = None) -> None:
    """Check that both classes are still there once the rows of weight 0 are left out.

    Parameters
    ----------
    codes : ndarray of uint8
        Codes of the classes, see `Labels`.
    weights : ndarray of float64 or None
        Weights of the rows.

    Raises
    ------
    ValueError
        If only one class has rows with a weight above 0.

    Examples
    --------
    >>> import numpy as np
    >>> check_two_classes(np.array([0, 1, 1], dtype=np.uint8), np.array([1.0, 0.0, 2.0]))
    >>> check_two_classes(np.array([0, 1, 1], dtype=np.uint8), np.array([1.0, 0.0, 0.0]))
    Traceback (most recent call last):
    ...
    ValueError: Only one class, the negative one, has rows with a weight above 0; give rows of both classes a weight.
    """
    kept = codes if weights is None else codes[weights > 0]
    if len(kept) == 0:
        raise ValueError("sample_weight is zero in every row; give some rows of both classes a weight above 0.")
    if kept.min() == kept.max():
        which = "positive" if kept[0] == 1 else "negative"
        raise ValueError(
            f"Only one class, the {which} one, has rows with a weight above 0; give rows of both classes a weight."
        )


def _two_numbers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # Two classes are the smallest and the greatest value: no sorting, and no temporary larger than a byte per row.
    lowest, highest = values.min(), values.max()
    if values.dtype.kind == "f" and not (np.isfinite(lowest) and np.isfinite(highest)):
        missing = np.isnan(values)
        if missing.any():
            refuse_missing(int(missing.argmax()))
        row = int(np.isinf(values).argmax())
        refuse_infinite(row, float(values[row]), "pass two finite labels")
    if lowest == highest:
        _refuse_one_class(lowest.item(), len(values))
    is_highest = values == highest
    if np.count_nonzero(is_highest) + np.count_nonzero(values == lowest) != len(values):
        _refuse_many_classes(np.unique(values).tolist())
    return is_highest.view(np.uint8), np.array([lowest, highest], dtype=values.dtype)


def _two_objects(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if values.dtype.kind == "T":
        values = values.astype(object)  # NumPy's variable-width strings may hold missing values
    if values.dtype.kind == "O" and family_of_labels(values) != "text":
        plain = exact_array(values)
        if plain is not None:
            return _two_numbers(plain)
    found = sorted(set(values.tolist()))
    if len(found) == 1:
        _refuse_one_class(found[0], len(values))
    if len(found) > 2:
        _refuse_many_classes(found)
    return np.asarray(values == found[1], dtype=bool).view(np.uint8), np.array(found, dtype=values.dtype)


def exact_array(values: np.ndarray) -> np.ndarray | None:
    """Python numbers in an array of NumPy's, if that holds each of them exactly; else None.

    Examples
    --------
    >>> exact_array(np.array([1, 2.5], dtype=object))
    array([1. , 2.5])
    >>> exact_array(np.array([-1, 2**63 + 1], dtype=object)) is None
    True
    """
    listed = values.tolist()
    plain = np.array(listed)
    if plain.dtype.kind in "biu" or (plain.dtype.kind == "f" and plain.tolist() == listed):
        return plain
    return None


def family_of_labels(values: np.ndarray, *, wanted: str = "use two numbers, strings or booleans") -> str:
    """The family that all of the labels belong to; a missing label, a mix and anything else are refused."""
    refuse_missing_objects(values)
    found = survey(values)
    if len(found.families) > 1:
        one, other = (found.examples[family] for family in found.families[:2])
        raise InputError(
            "Unknown label type: y mixes {value} ({kind}) in row {row} and {other} ({other_kind}) in row {other_row}; "
            "use labels of one type.",
            value=repr(one[1]),
            kind=type(one[1]).__name__,
            row=Row(one[0]),
            other=repr(other[1]),
            other_kind=type(other[1]).__name__,
            other_row=Row(other[0]),
        )
    (family,) = found.families
    if family == "text":
        refuse_nul(values)
    if family in ("other", "complex"):
        row, value = found.examples[family]
        raise InputError(
            "Unknown label type: y holds an object of type {kind} in row {row}; {wanted}.",
            kind=type(value).__name__,
            row=Row(row),
            wanted=wanted,
        )
    return family


def refuse_missing_objects(values: np.ndarray) -> None:
    """Refuse labels that hold None, NaN or the missing value of a data frame library."""
    kinds = set(map(type, values))
    missing = {kind for kind in kinds if family_of(kind) == "missing"}
    if missing or any(issubclass(kind, float) for kind in kinds):
        for row, value in enumerate(values):
            # Only a float can be different from itself; other types may not even be comparable.
            if type(value) in missing or (isinstance(value, float) and value != value):
                refuse_missing(row)


def refuse_missing(row: int) -> NoReturn:
    """Refuse labels of which one is missing."""
    raise InputError(
        "Input y contains NaN: the label of row {row} is missing; drop the rows without a label.", row=Row(row)
    )


def refuse_infinite(row: int, label: float, remedy: str) -> NoReturn:
    """Refuse labels of which one is infinite."""
    raise InputError(
        "Input y contains infinity: the label of row {row} is {value}; {remedy}.",
        row=Row(row),
        value=label,
        remedy=remedy,
    )


def check_finite_labels(labels: np.ndarray) -> None:
    """Refuse floats of which one is missing or infinite."""
    if np.isfinite(labels).all():
        return
    missing = np.isnan(labels)
    if missing.any():
        refuse_missing(int(missing.argmax()))
    row = int(np.isinf(labels).argmax())
    refuse_infinite(row, float(labels[row]), "pass finite labels")


def _refuse_one_class(label: Any, n_rows: int) -> NoReturn:
    raise ValueError(
        f"y holds one class only, the label {label!r} in all {n_rows} rows; a ranking needs positives and negatives."
    )


def _refuse_many_classes(found: list[Any]) -> NoReturn:
    some = listed(found)
    if any(isinstance(label, numbers.Real) and not float(label).is_integer() for label in found):
        raise ValueError(
            f"Unknown label type: y is continuous, with {len(found)} distinct values ({some}); "
            "pass two labels, for instance y > threshold."
        )
    raise ValueError(
        f"Only binary classification is supported, but y has {len(found)} classes ({some}); "
        "keep two of them, or use an ordinal model if they are ordered."
    )
