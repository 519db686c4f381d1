"""Weighted sums of two numbers with whole weights, as further features of a table: `income - 2 x debt`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..words import number
from .binning import BinnedTable, Bins, bin_table, find_bins
from .sample import Sample
from .schema import Feature, Schema
from .stores import DenseStore
from .table import Table, read_table

__all__ = ["LARGEST_PART", "WeightedSum", "WideRows", "widened", "widened_schema"]

LARGEST_PART = 1e100  # a larger number counts as missing in a sum, so that no sum overflows, here or in a database


@dataclass(frozen=True)
class WeightedSum:
    """A sum of features with whole weights; missing where one of them is, or is beyond `LARGEST_PART`.

    Attributes
    ----------
    terms : tuple of (feature, weight)
        Positions of different numeric features; weights are whole numbers other than 0, the first is above 0.

    Examples
    --------
    >>> balance = WeightedSum(((0, 1), (2, -2)))
    >>> balance.name(["income", "age", "debt"]), balance.of(np.array([[100.0, 30.0, 20.0]]))
    ('income - 2 x debt', array([60.]))
    """

    terms: tuple[tuple[int, int], ...]

    def of(self, X: np.ndarray) -> np.ndarray:
        """The sum of each row of a block; added up from the first term on, as every export does."""
        total = np.zeros(0)
        for feature, weight in self.terms:
            values = X[:, feature]
            part = float(weight) * np.where(np.abs(values) <= LARGEST_PART, values, np.nan)
            total = total + part if len(total) else part
        return total

    def name(self, names: Sequence[str]) -> str:
        """The sum in words."""
        words = ""
        for feature, weight in self.terms:
            size = names[feature] if abs(weight) == 1 else f"{number(abs(weight))} x {names[feature]}"
            words += size if not words else f" {'-' if weight < 0 else '+'} {size}"
        return words


def widened(X: np.ndarray, sums: Sequence[WeightedSum]) -> np.ndarray:
    """A block of rows with a column for each sum after its own."""
    return np.column_stack([X, *(each.of(X) for each in sums)])


def widened_schema(schema: Schema, sums: Sequence[WeightedSum]) -> Schema:
    """The schema of these columns; a sum is called as it is written."""
    features = list(schema.features)
    taken = set(schema.names)
    for each in sums:
        name = each.name(schema.names)
        while name in taken:
            name = f"({name})"
        taken.add(name)
        features.append(Feature(name, "numeric"))
    return Schema(tuple(features), named=True)


@dataclass(frozen=True)
class WideRows:
    """The rows of a sample and their values, to which sums can be added.

    Attributes
    ----------
    sample : Sample
    X : array
        The values of its features, categories coded as in the schema.
    max_bins : int
        Most bins of a sum.
    """

    sample: Sample
    X: np.ndarray
    max_bins: int

    @classmethod
    def of(cls, sample: Sample, max_bins: int) -> WideRows:
        """The rows of a sample that is in this process."""
        return cls(sample, sample.values_of(np.arange(sample.n_rows)).X, max_bins)

    def with_sums(self, sums: Sequence[WeightedSum], n_threads: int = 1) -> Sample:
        """The sample whose table has the sums as further columns."""
        if not sums:
            return self.sample
        X = widened(self.X, sums)
        schema = widened_schema(self.sample.table.schema, sums)
        added = read_table(np.ascontiguousarray(X[:, self.X.shape[1] :]))
        binned = bin_table(added, find_bins(added, max_bins=self.max_bins, n_threads=n_threads), n_threads=n_threads)
        return replace(
            self.sample,
            table=Table(schema, DenseStore(X), {}),
            binned=_side_by_side(self.sample.binned, binned),
            whole=None,
        )


def _side_by_side(one: BinnedTable, other: BinnedTable) -> BinnedTable:
    digits, low = _both(one.bins.digits, other.bins.digits), _both(one.bins.low, other.bins.low)
    bins = Bins(
        (*one.bins.cuts, *other.bins.cuts),
        (*one.bins.means, *other.bins.means),
        np.concatenate([one.bins.categorical, other.bins.categorical]),
        digits,
        low,
    )
    codes = np.ascontiguousarray(np.hstack([one.codes, other.codes]).astype(bins.code_dtype, copy=False))
    return BinnedTable(codes, bins, one.cell_bytes)


def _both(one: tuple[np.ndarray, ...] | None, other: tuple[np.ndarray, ...] | None) -> tuple[np.ndarray, ...] | None:
    return None if one is None or other is None else (*one, *other)
