"""A training sample: features as given and as bins, labels 0 and 1, weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np

from .. import _core
from .binning import BinnedTable
from .coded_table import coded_table
from .hold_out import ANY_ROWS, HoldOut
from .schema import Schema
from .table import Table
from .training_rows import TrainingRows

__all__ = ["Sample", "Values", "as_masses", "fixed_point", "observed_means"]

T = TypeVar("T")


@dataclass(frozen=True)
class Values:
    """The values of some rows of a table, read once."""

    table: Table
    rows: np.ndarray

    @cached_property
    def X(self) -> np.ndarray:
        """The features, coded as in the schema."""
        blocks = list(self.table.take(self.rows).blocks())
        return blocks[0] if len(blocks) == 1 else np.vstack(blocks)

    def answers(self, ask: Callable[[np.ndarray], np.ndarray], part: np.ndarray | None = None) -> np.ndarray:
        """What a function of values says of the rows, or of a part of them: a mask or positions."""
        return ask(self.X if part is None else self.X[part])


@dataclass(frozen=True)
class Sample:
    """Training rows of two classes.

    Attributes
    ----------
    table : Table
        The features as given.
    binned : BinnedTable
        The same rows as bins.
    labels : array of uint8
        1 for positives.
    weights : array or None
        Positive; None is 1 everywhere.
    whole : Table or None
        The training table, if the rows are a fold or a bootstrap sample of it; None if they are all of it.
    hold_out : HoldOut
        How folds and bags of the rows are drawn.
    """

    table: Table
    binned: BinnedTable
    labels: np.ndarray
    weights: np.ndarray | None
    whole: Table | None = field(default=None, kw_only=True)
    hold_out: HoldOut = field(default=ANY_ROWS, kw_only=True)

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @property
    def is_local(self) -> bool:
        """Whether the codes of all rows are in this process."""
        return True

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of each feature in the whole training table."""
        return (self.table if self.whole is None else self.whole).box

    @cached_property
    def means(self) -> np.ndarray:
        """Mean of the observed values of every feature; NaN for categories and where nothing is observed."""
        weights = np.ones(self.n_rows) if self.weights is None else self.weights
        return observed_means(self.table.blocks(), weights, self.table.schema)

    @cached_property
    def with_spare_bits(self) -> tuple[np.ndarray | None, tuple[float, float]]:
        """Masses and units with room for rows that are drawn more than once."""
        return fixed_point(self.weights, self.labels, total_bits=46)

    @cached_property
    def _fixed(self) -> tuple[np.ndarray | None, tuple[float, float]]:
        return fixed_point(self.weights, self.labels)

    @property
    def masses(self) -> np.ndarray | None:
        """Weights as whole numbers of units; None where all are equal."""
        return self._fixed[0]

    @property
    def units(self) -> tuple[float, float]:
        """What one unit of mass of each class weighs."""
        return self._fixed[1]

    def take(self, rows: np.ndarray) -> Self:
        """The sample of some of the rows: a mask, or positions."""
        return replace(
            self,
            table=self.table.take(rows),
            binned=self.binned.take(rows),
            labels=self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
            whole=self.table if self.whole is None else self.whole,
            hold_out=self.hold_out.take(rows),
        )

    def local(self, rows: np.ndarray) -> Sample:
        """The sample of some of the rows by their codes alone, in this process."""
        taken = self.training_rows().take(rows)
        table = coded_table(taken.binned, self.table.schema)
        return Sample(table, taken.binned, taken.labels, taken.weights, hold_out=self.hold_out.take(rows))

    def relabelled(self, order: np.ndarray) -> Self:
        """The same rows with labels and weights in another order."""
        weights = None if self.weights is None else self.weights[order]
        return replace(self, labels=self.labels[order], weights=weights)

    # ---- work on the features: the rows may be anywhere, so all of it passes through here

    def grown(self, grow: Callable[..., T], **how: Any) -> T:
        """What a function grows on these rows: ``grow(sample, **how)``."""
        return grow(self, **how)

    def grown_on_draws(
        self,
        grow: Callable[..., Sequence[Any]],
        growth: Any,
        draw: Any,
        *,
        first_tree: int,
        n_trees: int,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> Sequence[Any]:
        """The trees that a function grows on rows drawn for each of them: ``grow(growth, sample, draw, ...)``."""
        return grow(growth, self, draw, first_tree=first_tree, n_trees=n_trees, n_threads=n_threads, progress=progress)

    def boosters(
        self, held_out: np.ndarray, params: Sequence[_core.BoostParams], first: dict[str, np.ndarray] | None = None
    ) -> _core.Boosters:
        """Boosters side by side.

        Parameters
        ----------
        held_out : array of shape (n_boosters, n_rows)
            1 for rows that a booster must not see.
        params : sequence of BoostParams
        first : dict or None
            Trees of the first rounds, by round and by booster, as arrays of `BoostedTrees`.
        """
        boosters = _core.Boosters(self.binned.core, self.labels, self.weights, held_out, params)
        if first is not None:
            boosters.resume(_core.boosted_trees(self.binned.core, first, len(params)))
        return boosters

    def states_of(self, make: Callable[..., T], rows: np.ndarray, *arguments: Any) -> T:
        """What a function keeps of some rows: ``make(codes, labels, weights, numbers, *arguments)``.

        Rows of a group have the same number. The state has `sums`, exact whatever the order of the rows, and `add`,
        which changes it.
        """
        weights = None if self.weights is None else self.weights[rows]
        numbers = self.hold_out.numbers(rows)
        return make(self.binned.codes[rows], self.labels[rows], weights, numbers, *arguments)

    def answers(self, ask: Callable[[np.ndarray], np.ndarray], rows: np.ndarray | None = None) -> np.ndarray:
        """What a function of a block of values says of every row; `rows` are the positions of some of them."""
        table = self.table if rows is None else self.table.take(rows)
        found = [ask(block) for block in table.blocks()]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def values_of(self, rows: np.ndarray) -> Values:
        """The values of some rows, of which one asks several times."""
        return Values(self.table, rows)

    def training_rows(self) -> TrainingRows:
        """The rows that a forest keeps."""
        return TrainingRows(self.binned, self.labels, self.weights)


def observed_means(blocks: Iterable[np.ndarray], weights: np.ndarray, schema: Schema) -> np.ndarray:
    """Weighted mean of the observed values of every feature, given the rows in blocks; NaN for categories."""
    sums, mass = np.zeros((2, schema.n_features))
    start = 0
    for block in blocks:
        weight = weights[start : start + len(block), None]
        seen = ~np.isnan(block)
        mass += (seen * weight).sum(axis=0)
        sums += (np.where(seen, block, 0.0) * weight).sum(axis=0)
        start += len(block)
    is_category = np.array([feature.categories is not None for feature in schema.features])
    return np.where(is_category | (mass == 0), np.nan, sums / np.where(mass == 0, 1.0, mass))


def fixed_point(
    weights: np.ndarray | None, labels: np.ndarray, *, total_bits: int = 52
) -> tuple[np.ndarray | None, tuple[float, float]]:
    """Weights as whole multiples of a power of two, and that power for each class.

    Sums of whole numbers are exact: they depend neither on the order of the rows nor on threads, and a weight of 2 is
    exactly two rows. Equal weights need no table at all.

    Examples
    --------
    >>> import numpy as np
    >>> masses, unit = fixed_point(np.array([0.5, 1.0, 2.0]), np.array([0, 0, 1]))
    >>> masses * np.array([unit[0], unit[0], unit[1]])
    array([0.5, 1. , 2. ])
    >>> fixed_point(np.array([3.0, 3.0]), np.array([0, 1]))
    (None, (3.0, 3.0))
    """
    if weights is None:
        return None, (1.0, 1.0)
    if weights.min() == weights.max():
        return None, (float(weights[0]), float(weights[0]))
    # the total of a class stays below 2^total_bits, so that it and all its parts are exact as doubles too
    totals = np.bincount(labels, weights=weights, minlength=2).tolist()
    units = [
        math.ldexp(1.0, max(math.frexp(total)[1] - total_bits, -1074)) for total in totals
    ]  # -1074: the least double
    return as_masses(weights, labels, (units[0], units[1])), (units[0], units[1])


def as_masses(weights: np.ndarray, labels: np.ndarray, units: tuple[float, float]) -> np.ndarray:
    """Weights in whole units of their class."""
    return np.maximum(np.rint(weights / np.array(units)[labels]), 1.0).astype(np.int64)
