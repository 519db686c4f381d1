"""Fingerprints of training rows, by which rows of another file are recognised: four bytes per row, and no values.

The print of a row is a hash of its features, as the model reads them, and of its label. It does not depend on the
format of the file or on the batches.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["MOST_ROWS", "PrintsOfRows", "RowPrints"]

MOST_ROWS = 1_000_000  # of more training rows no prints are kept, since that takes a pass over them
_KEPT = 50_000  # of more rows, those with the lowest prints are kept
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_NUMBERS = (
    pa.types.is_null,
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
)
_HALF = np.uint64(32)


class PrintsOfRows:
    """The prints of rows that come in batches.

    Examples
    --------
    >>> prints = PrintsOfRows()
    >>> prints.see(pa.table({"age": [30, None], "city": ["Lyon", "Nice"]}))
    >>> prints.of(np.array([0, 1])).dtype
    dtype('uint32')
    """

    def __init__(self) -> None:
        self._parts: list[np.ndarray] = []

    def see(self, features: Any) -> None:
        """Take in a batch of features: a pyarrow Table or RecordBatch."""
        total = np.zeros(features.num_rows, dtype=np.uint64)
        for name, column in zip(features.schema.names, features.columns):
            total += _mixed(_of_column(column) ^ _of_text(f"feature {name}"))
        self._parts.append(total)

    def of(self, labels: np.ndarray) -> np.ndarray:
        """The prints, given the labels of all rows."""
        total = np.concatenate(self._parts) if self._parts else np.zeros(0, dtype=np.uint64)
        total = _mixed(total + _mixed(_of_column(pa.array(labels)) ^ _of_text("label")))
        return (total >> _HALF).astype(np.uint32)


@dataclass(frozen=True)
class RowPrints:
    """The prints of the rows of a fit.

    Attributes
    ----------
    prints : array of uint32
        Of all rows in their order; of many rows the lowest ones, sorted.
    n_rows : int
        Of the fit.
    copies : float
        Share of the rows that are equal to another one: so likely is a new row equal to one of them by chance.
    """

    prints: np.ndarray
    n_rows: int
    copies: float

    @classmethod
    def of(cls, prints: np.ndarray) -> RowPrints:
        """From the prints of all rows.

        Examples
        --------
        >>> RowPrints.of(np.array([5, 7, 5, 9], dtype=np.uint32)).copies
        0.5
        """
        _, place, counts = np.unique(prints, return_inverse=True, return_counts=True)
        copies = float((counts[place] > 1).mean()) if len(prints) else 0.0
        kept = prints if len(prints) <= _KEPT else np.sort(prints)[:_KEPT]
        return cls(kept, len(prints), copies)

    @property
    def is_whole(self) -> bool:
        """Whether it has all rows."""
        return len(self.prints) == self.n_rows

    def places(self, prints: np.ndarray) -> np.ndarray:
        """The training row that each row is equal to, -1 for none; rows that are equal get different ones if they can.

        Examples
        --------
        >>> RowPrints.of(np.array([5, 7, 5], dtype=np.uint32)).places(np.array([7, 5, 8, 5, 5], dtype=np.uint32))
        array([ 1,  0, -1,  2,  2])
        """
        order = np.argsort(self.prints, kind="stable")
        ordered = self.prints[order]
        first = np.searchsorted(ordered, prints, side="left")
        n_equal = np.searchsorted(ordered, prints, side="right") - first
        place = np.minimum(first + _occurrence(prints), first + n_equal - 1)
        return np.where(n_equal > 0, order[np.clip(place, 0, max(0, len(order) - 1))], -1) if len(order) else first - 1

    def among(self, prints: np.ndarray) -> tuple[int, int]:
        """How many of the rows that can be judged are rows of the fit, and how many can be: all unless it is a part."""
        if not self.is_whole:
            prints = prints[prints <= self.prints[-1]]
        return int(np.isin(prints, self.prints).sum()), len(prints)

    def beyond_chance(self, n_known: int, n_rows: int) -> bool:
        """Whether more rows are known than copies explain."""
        by_chance = n_rows * self.copies
        return n_known > by_chance + 4.0 * np.sqrt(by_chance * (1.0 - self.copies)) + 1.0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        text = base64.b64encode(self.prints.astype("<u4").tobytes()).decode()
        return {"prints": text, "rows": self.n_rows, "copies": self.copies}

    @classmethod
    def from_dict(cls, value: Any) -> RowPrints | None:
        """The prints again; None if there are none, or if they cannot be read."""
        try:
            prints = np.frombuffer(base64.b64decode(value["prints"], validate=True), "<u4").astype(np.uint32)
            found = cls(prints, int(value["rows"]), float(value["copies"]))
        except (TypeError, KeyError, ValueError):
            return None
        return found if len(prints) and 0.0 <= found.copies <= 1.0 and len(prints) <= found.n_rows else None


def _occurrence(values: np.ndarray) -> np.ndarray:
    """How many equal values are before each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered, side="left")
    return found


def _of_column(column: Any) -> np.ndarray:
    """A number of each value: its bits as a float64, or a hash of its text; equal values have equal numbers."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if any(test(kind) for test in _NUMBERS):
        numbers = column.cast(kind).cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False) + 0.0  # no -0.0
        return np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
    column = column if pa.types.is_dictionary(column.type) else column.cast(pa.string()).dictionary_encode()
    words: Sequence[str | None] = column.dictionary.cast(pa.string()).to_pylist()
    of_words = np.array([_of_text("missing"), *(_of_text(f"word {word}") for word in words)], dtype=np.uint64)
    return of_words[np.asarray(column.indices.cast(pa.int64()).fill_null(-1)) + 1]


def _of_text(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()))


def _mixed(values: np.ndarray) -> np.ndarray:
    """A permutation of 64-bit numbers after which neighbours have nothing in common (the end of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))
