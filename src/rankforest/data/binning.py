"""Binning: every feature becomes small integer codes, once, before trees are grown.

Code 0 is "missing". A numeric feature has one bin per distinct value when there are at most `max_bins` of them, and
otherwise bins with about equally many rows; a categorical feature has one bin per category.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from .parameters import at_least
from .schema import Schema
from .table import Table

__all__ = [
    "MAX_BINS",
    "SAMPLE_ROWS",
    "USUAL_BINS",
    "BinnedTable",
    "Bins",
    "bin_table",
    "bins_of",
    "checked_bins",
    "find_bins",
]

USUAL_BINS = 255  # 8-bit codes, besides "missing"
MAX_BINS = 65535  # 16-bit codes, besides "missing"

_EXACT = 17  # digits that identify every double
_MOST_DECIMALS = 6  # of the values of a feature whose cuts have no more decimals than they
_LARGEST_WHOLE = 2.0**40  # so that whole numbers are told from others

# Cut points are quantiles: with two hundred thousand rows their error is within a tenth of a bin of 255.
SAMPLE_ROWS = 200_000
# Columns that must be converted to float64 are read in groups, to bound the memory.
_COLUMNS_AT_ONCE = 4

BinsOfColumn = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # cuts, means, digits and low


@dataclass(frozen=True)
class Bins:
    """Cut points of every feature.

    Attributes
    ----------
    cuts : tuple of arrays
        Increasing; a value x has code 1 + (number of cuts below x).
    means : tuple of arrays
        Mean value of each bin.
    categorical : array of bool
    digits : tuple of arrays, or None
        Decimal digits of each cut that separate its two neighbours in the column: the cut, rounded to this many digits
        or more, still lies between them. 17 digits are the exact cut, and so is None.
    low : tuple of arrays, or None
        The greatest value of the column up to each cut; -inf, and None, where it is not known.
    """

    cuts: tuple[np.ndarray, ...]
    means: tuple[np.ndarray, ...]
    categorical: np.ndarray
    digits: tuple[np.ndarray, ...] | None = None
    low: tuple[np.ndarray, ...] | None = None

    @property
    def n_features(self) -> int:
        return len(self.cuts)

    @cached_property
    def n_bins(self) -> np.ndarray:
        """Number of bins of each feature, "missing" not counted."""
        return np.array([len(means) for means in self.means], dtype=np.int32)

    def digits_of(self, nodes: Mapping[str, np.ndarray]) -> np.ndarray:
        """Digits of the thresholds of a grown tree, which are cuts of these bins; 0 where a node has none.

        Parameters
        ----------
        nodes : mapping with the arrays feature, threshold and set_offset

        Examples
        --------
        >>> from rankforest.data.table import read_table
        >>> bins = find_bins(read_table([[1.25], [1.75], [8.0]]))
        >>> bins.digits_of({"feature": np.array([0]), "threshold": bins.cuts[0][:1], "set_offset": np.array([-1])})
        array([2], dtype=uint8)
        """
        threshold = nodes["threshold"]
        found = np.zeros(len(threshold), dtype=np.uint8)
        cut = np.flatnonzero((nodes["set_offset"] < 0) & np.isfinite(threshold))
        at = np.searchsorted(self._keys, _keys(nodes["feature"][cut], threshold[cut]))
        found[cut] = 17 if self._all_digits is None else self._all_digits[at]
        return found

    def round_cuts(self, j: int) -> np.ndarray:
        """The cuts of numeric feature `j` as a person would write them: they send every training row to the same side.

        Cuts are halfway between two values. As few digits are kept as separate the two. Where these are more decimals
        than the values have, the cut is the lower value itself.

        Examples
        --------
        >>> from rankforest.data.table import read_table
        >>> bins = find_bins(read_table([[1, 0.1, 5119], [2, 0.2, 5178], [4, 0.6, 6000]]))
        >>> [bins.round_cuts(j).tolist() for j in range(3)]
        [[1.0, 3.0], [0.1, 0.4], [5150.0, 5600.0]]
        """
        cuts = self.cuts[j]
        digits = [_EXACT] * len(cuts) if self.digits is None else self.digits[j].tolist()
        found = [cut if n >= _EXACT else float(f"{cut:.{max(n, 1) - 1}e}") for cut, n in zip(cuts.tolist(), digits)]
        short, scale = np.array(found, dtype=np.float64), self._scale(j)
        if scale is None or self.low is None:
            return short
        return np.where(_is_whole(scale * short) | np.isinf(self.low[j]), short, self.low[j])

    def _scale(self, j: int) -> float | None:
        """The power of ten that makes all values of a feature whole numbers; None if they have too many decimals.

        The means of bins are values themselves, unless there are more values than bins.
        """
        cuts, means = self.cuts[j], self.means[j]
        for scale in 10.0 ** np.arange(_MOST_DECIMALS + 1):
            if _are_whole(cuts, 2.0 * scale) and (len(means) >= USUAL_BINS or _are_whole(means, scale)):
                return float(scale)
        return None

    @cached_property
    def _all_digits(self) -> np.ndarray | None:
        """The digits of every cut, in order."""
        return None if self.digits is None else np.concatenate(self.digits)

    @cached_property
    def _keys(self) -> np.ndarray:
        """(feature, cut) of every cut, in order."""
        return _keys(
            np.repeat(np.arange(self.n_features), [len(cuts) for cuts in self.cuts]), np.concatenate(self.cuts)
        )

    def values(self, j: int) -> np.ndarray:
        """The value of each code of feature `j`: NaN for missing, then the mean of each bin."""
        return np.append(np.nan, self.means[j])

    @cached_property
    def all_values(self) -> tuple[np.ndarray, np.ndarray]:
        """The values of the codes of all features, one feature after the other, and where each feature begins."""
        values = [self.values(j) for j in range(self.n_features)]
        return np.concatenate(values), _offsets(tuple(values))[:-1]

    def with_codes(self, codes: np.ndarray, rows: Any = None, cell_bytes: int = 0) -> _core.TableArrays:
        """A table of these bins, as the core takes it; `rows` answers for rows in other places, such as partitions."""
        return _core.TableArrays(
            codes=codes,
            n_bins=self.n_bins,
            categorical=self.categorical.astype(np.uint8),
            cuts=np.concatenate(self.cuts),
            cut_offsets=_offsets(self.cuts),
            bin_means=np.concatenate(self.means),
            mean_offsets=_offsets(self.means),
            rows=rows,
            cell_bytes=cell_bytes,
        )

    @property
    def code_dtype(self) -> type[np.unsignedinteger]:
        return np.uint8 if self.n_bins.max() <= 255 else np.uint16


@dataclass(frozen=True)
class BinnedTable:
    """Codes of a table, row by row, with their bins.

    Attributes
    ----------
    codes : array of uint8 or uint16
    bins : Bins
    cell_bytes : int
        Above 0, ranking trees do not copy all their rows, but only those of cells whose copies take no more bytes:
        slower, with less memory, and the same trees.
    """

    codes: np.ndarray
    bins: Bins
    cell_bytes: int = 0

    @cached_property
    def has_missing(self) -> np.ndarray:
        """Whether each feature has a missing value."""
        missing = np.zeros(self.bins.n_features, dtype=bool)
        for start in range(0, len(self.codes), 65536):  # in blocks: a comparison of all codes would be as large as they
            missing |= (self.codes[start : start + 65536] == 0).any(axis=0)
        return missing

    @cached_property
    def counts(self) -> tuple[np.ndarray, ...]:
        """Number of rows of each code of each feature, "missing" first."""
        found = tuple(np.zeros(size, dtype=np.int64) for size in (self.bins.n_bins + 1).tolist())
        for start in range(0, len(self.codes), 65536):  # in blocks, because bincount makes 64-bit numbers of the codes
            block = self.codes[start : start + 65536]
            for j, counts in enumerate(found):
                counts += np.bincount(block[:, j], minlength=len(counts))
        return found

    def take(self, rows: np.ndarray) -> BinnedTable:
        """Some of the rows: a mask, or positions."""
        return BinnedTable(self.codes[rows], self.bins)

    def values(self, rows: slice | np.ndarray) -> np.ndarray:
        """Rows as numbers: the mean of each bin, and NaN for missing. Thresholds always lie between bins."""
        of_codes, first = self.bins.all_values
        return of_codes[first + self.codes[rows]]

    @cached_property
    def core(self) -> _core.TableArrays:
        """The same, as the core takes it."""
        return self.bins.with_codes(self.codes, cell_bytes=self.cell_bytes)


def _are_whole(values: np.ndarray, scale: float) -> bool:
    """Whether all values times the scale are whole numbers, and small enough to tell."""
    return bool((np.abs(values) < _LARGEST_WHOLE / scale).all() and _is_whole(scale * values).all())


def _is_whole(values: np.ndarray) -> np.ndarray:
    return np.abs(values - np.round(values)) <= 1e-14 * np.abs(values)


def _offsets(arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    return np.cumsum([0, *map(len, arrays)], dtype=np.int64)


def _keys(features: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Pairs (feature, cut) as complex numbers, which numpy orders by the feature first, then by the cut."""
    keys = np.empty(len(cuts), dtype=np.complex128)
    keys.real, keys.imag = features, cuts
    return keys


def _column_groups(table: Table) -> list[range]:
    """Columns to read together: all of them when reading copies nothing."""
    at_once = _COLUMNS_AT_ONCE if table.matrix() is None else table.n_features
    return [range(j, min(j + at_once, table.n_features)) for j in range(0, table.n_features, at_once)]


def checked_bins(name: str, value: Any) -> int:
    """A number of bins that a numeric feature may have."""
    if at_least(name, value, 2) > MAX_BINS:
        raise ValueError(f"{name} is {value!r}; the most is {MAX_BINS}.")
    return int(value)


def find_bins(table: Table, *, max_bins: int = USUAL_BINS, n_threads: int = 1) -> Bins:
    """Cut points of every feature of a table.

    Examples
    --------
    >>> import numpy as np
    >>> from rankforest.data.table import read_table
    >>> bins = find_bins(read_table(np.array([[1.0], [2.0], [4.0], [np.nan]])))
    >>> bins.cuts[0]
    array([1.5, 3. ])
    """
    numeric = [feature.kind == "numeric" for feature in table.schema.features]
    found: list[BinsOfColumn] = []
    for group in _column_groups(table):
        columns = [table.column(j) for j in group if numeric[j]]
        found += _core.find_bins(columns, max_bins, SAMPLE_ROWS, 0, n_threads)
    return bins_of(table.schema, found)


def bins_of(schema: Schema, numeric: Iterable[BinsOfColumn]) -> Bins:
    """The bins of all features, given those of the numeric ones."""
    found = iter(numeric)
    each = [
        next(found) if feature.categories is None else _bins_of_categories(len(feature.categories))
        for feature in schema.features
    ]
    cuts, means, digits, low = zip(*each)
    return Bins(cuts, means, schema.is_categorical, digits, low)


def _bins_of_categories(n_categories: int) -> BinsOfColumn:
    # codes of categories are the whole numbers 0, 1, ...: a cut at each but the last
    means = np.arange(n_categories, dtype=np.float64)
    return means[:-1], means, np.zeros(n_categories - 1, dtype=np.uint8), means[:-1]


def bin_table(table: Table, bins: Bins, *, n_threads: int = 1) -> BinnedTable:
    """Codes of all rows of a table.

    Examples
    --------
    >>> import numpy as np
    >>> from rankforest.data.table import read_table
    >>> table = read_table(np.array([[1.0], [2.0], [4.0], [np.nan]]))
    >>> bin_table(table, find_bins(table)).codes.ravel()
    array([1, 2, 3, 0], dtype=uint8)
    """
    codes = np.empty((table.n_rows, table.n_features), dtype=bins.code_dtype)
    for group in _column_groups(table):
        columns = [table.column(j) for j in group]
        _core.encode(columns, [bins.cuts[j] for j in group], codes, group.start, n_threads)
    return BinnedTable(codes, bins)
