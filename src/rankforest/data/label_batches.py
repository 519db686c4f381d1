"""Labels and weights of a table that arrives in batches; see `rankforest.data.survey`.

A batch of labels is held as its distinct labels and one byte per row. The labels of all batches are read by the very
functions that read the labels of a table: from the distinct labels, which is all that these look at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from .columns import objects
from .errors import InputError, Row, counted_from
from .labels import check_finite_labels, family_of_labels
from .ordered_labels import order_of
from .read_weights import numbers_of_weights
from .row_values import as_vector

__all__ = ["LabelBatch", "label_batch", "merge_labels", "weight_batch"]

L = TypeVar("L")


@dataclass(frozen=True)
class LabelBatch:
    """Labels of consecutive rows; made by `label_batch`.

    Attributes
    ----------
    labels : array
        The distinct labels, of the user's type.
    first_rows : array of int64
        The first row that has each of them, in the whole table.
    codes : array of unsigned integers
        Position of the label of each row in `labels`; a byte each, unless there are more labels than any model takes.
    order : tuple or None
        The labels from the lowest to the highest, if their type has an order of its own.
    """

    labels: np.ndarray
    first_rows: np.ndarray
    codes: np.ndarray
    order: tuple[Any, ...] | None = None

    @property
    def n_rows(self) -> int:
        return len(self.codes)


def label_batch(y: Any, *, first_row: int = 0) -> LabelBatch:
    """Labels of a batch.

    Parameters
    ----------
    y : array-like or series
        One label per row of the batch.
    first_row : int
        Number of the first row in the whole table.

    Raises
    ------
    ValueError
        One sentence about a missing label, or about labels of different types.

    Examples
    --------
    >>> batch = label_batch(["no", "yes", "no"], first_row=10)
    >>> batch.labels, batch.first_rows, batch.codes
    (array(['no', 'yes'], dtype='<U3'), array([10, 11]), array([0, 1, 0], dtype=uint8))
    """
    values = as_vector(y, "y")
    if not len(values):
        return LabelBatch(values, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint8))
    with counted_from(first_row):
        if values.dtype.kind == "f":
            check_finite_labels(values)
        if values.dtype.kind in "OT":
            values = values.astype(object)
            family_of_labels(values)
    labels, first, codes = _distinct(values)
    return LabelBatch(labels, first + first_row, codes, order_of(y))


def merge_labels(batches: Sequence[LabelBatch], read: Callable[[np.ndarray, tuple[Any, ...] | None], L]) -> L:
    """The labels of the whole table.

    Parameters
    ----------
    batches : sequence of LabelBatch
        In the order of the rows.
    read : callable
        Given labels and their own order, or None, reads and checks them: to `Labels` or `OrderedLabels`.

    Examples
    --------
    >>> from rankforest.data.labels import read_labels
    >>> batches = [label_batch([0, 0]), label_batch([], first_row=2), label_batch([1, 0], first_row=2)]
    >>> merge_labels(batches, lambda y, order: read_labels(y, n_rows=len(y))).codes
    array([0, 0, 1, 0], dtype=uint8)
    """
    seen = [batch for batch in batches if batch.n_rows]
    if not seen:
        raise ValueError("y is empty; pass at least one label.")
    kinds = {"u" if batch.labels.dtype.kind in "iuf" else batch.labels.dtype.kind for batch in seen}
    # numbers, booleans and strings stay apart as objects, so that a mix of them is seen
    labels = np.concatenate([batch.labels.astype(object) if len(kinds) > 1 else batch.labels for batch in seen])
    rows = np.concatenate([batch.first_rows for batch in seen])
    orders = [batch.order for batch in seen]
    order = tuple(dict.fromkeys(label for each in orders for label in each or ())) if None not in orders else None
    if (labels == labels[0]).all():  # the sentence about it counts all rows
        read(np.repeat(labels[:1], sum(batch.n_rows for batch in seen)), order)
    try:
        found: Any = read(labels, order)
    except InputError as error:
        facts = {name: Row(rows[fact]) if isinstance(fact, Row) else fact for name, fact in error.facts.items()}
        raise InputError(error.template, **facts) from None
    ends = np.cumsum([len(batch.labels) for batch in seen])
    codes = [found.codes[end - len(batch.labels) : end][batch.codes] for end, batch in zip(ends, seen)]
    return replace(found, codes=np.concatenate(codes))


def weight_batch(sample_weight: Any, *, first_row: int = 0) -> np.ndarray:
    """Weights of a batch as float64; those of all batches together are checked by `read_weights`."""
    with counted_from(first_row):
        return numbers_of_weights(as_vector(sample_weight, "sample_weight"))


def _distinct(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct values, the first row of each, and the position of the value of each row among them."""
    if values.dtype.kind == "O":
        place: dict[Any, int] = {}
        codes = np.fromiter((place.setdefault(label, len(place)) for label in values.tolist()), np.int64, len(values))
        labels, first = objects(list(place)), np.unique(codes, return_index=True)[1]
    elif values.dtype.kind in "biuf" and _two_at_most(values):
        is_high = values == values.max()  # no sorting
        first = np.unique([is_high.argmin(), is_high.argmax()])
        labels, codes = values[first], is_high ^ is_high[0]
    else:
        labels, first, codes = np.unique(values, return_index=True, return_inverse=True)
    return labels, first, codes.astype(np.min_scalar_type(len(labels) - 1))


def _two_at_most(values: np.ndarray) -> bool:
    return bool(((values == values.min()) | (values == values.max())).all())
