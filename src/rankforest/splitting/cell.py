"""A cell, its division in two, and the protocol of all splitting rules."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from .. import _core
from ..data.constraints import CodedConstraints
from ..data.sample import Sample, Values, observed_means
from ..data.schema import Schema

__all__ = ["HELD_OUT_FOLDS", "Cell", "Cut", "Division", "RuleFailed", "SplittingRule", "held_out_sides"]

HELD_OUT_FOLDS = 5


class Division(Protocol):
    """A fitted division of a cell: which rows go left."""

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        """True for the rows of a float64 block, coded as in the schema, that belong to the left (better) child."""

    def words(self, better: bool) -> str:
        """Description of the better side, or of the other one, in one line."""


class SplittingRule(ABC):
    """A splitting rule: how a cell is cut in two.

    Attributes
    ----------
    routes_held_out : bool
        Whether the training rows are routed by rules that were not fitted on them (held-out routing). Otherwise a rule
        that separates its own training rows perfectly would leave nothing to rank below it.
    axis_parallel : bool
        Whether its divisions are small axis-parallel trees.
    max_bins : int or None
        Largest number of bins of a numeric feature; None if the rule uses values, not bins.
    """

    axis_parallel = False
    max_bins: int | None = None

    @property
    def uses_values(self) -> bool:
        """Whether it needs the values of the features, not only their bins."""
        return self.max_bins is None

    @property
    def routes_held_out(self) -> bool:
        return False

    @abstractmethod
    def learn(self, cell: Cell) -> Division | None:
        """A division of the cell, or None if no cut gains; raises RuleFailed if the fit fails."""

    @abstractmethod
    def check(self, schema: Schema) -> None:
        """Raise an error if a parameter is invalid, before any work starts."""

    def settled(self, root: Cell) -> SplittingRule:
        """The rule after its choices per tree, given the cell of all rows; most rules have nothing to choose."""
        return self

    def divide(self, cell: Cell) -> Cut | None:
        """Cut a cell in two; None if it is not split."""
        left = None
        if self.routes_held_out:
            left = held_out_sides(self, cell)
            if left is None or cell.gain(left) <= 0.0:
                return None
        division = self.learn(cell)
        if division is None:
            return None
        if left is not None:
            return Cut(division, left, held_out=True)
        return Cut(division, cell.answers(division.goes_left))


class RuleFailed(Exception):
    """The fit of a rule failed in a cell; the message gives the reason."""


@dataclass(frozen=True)
class Cell:
    """A cell: the rows that are to be cut in two.

    Attributes
    ----------
    sample : Sample
        All rows that the tree is grown on.
    rows : array of int
        Positions of the cell's rows.
    key : int
        Key of the cell's random numbers.
    path : str
        The path from the root, + for the better side and - for the other.
    max_features : int
        Number of features to draw (F_T); 0 means all.
    constraints : CodedConstraints or None
        Of an axis-parallel rule.
    path_features : tuple of int
        Features that were cut above the cell; only where constraints limit which features may interact.
    min_samples_leaf : int
        Fewest rows of a child.
    """

    sample: Sample
    rows: np.ndarray
    key: int
    path: str = ""
    max_features: int = 0
    constraints: CodedConstraints | None = None
    path_features: tuple[int, ...] = ()
    min_samples_leaf: int = 1

    @property
    def name(self) -> str:
        """Name of the cell in messages."""
        place = f"node {self.path}" if self.path else "the root"
        return f"{place} (depth {len(self.path)}, {len(self.rows)} rows)"

    @cached_property
    def X(self) -> np.ndarray:
        """The features, coded as in the schema; all of them, drawn or not."""
        return self._values.X

    def answers(self, ask: Callable[[np.ndarray], np.ndarray], part: np.ndarray | None = None) -> np.ndarray:
        """What a function of values says of every row, or of a part of the rows: a mask or positions."""
        return self._values.answers(ask, part)

    @cached_property
    def _values(self) -> Values:
        return self.sample.values_of(self.rows)

    @cached_property
    def labels(self) -> np.ndarray:
        return self.sample.labels[self.rows]

    @cached_property
    def weights(self) -> np.ndarray:
        weights = self.sample.weights
        return np.ones(len(self.rows)) if weights is None else weights[self.rows]

    @cached_property
    def masses(self) -> np.ndarray:
        """Weights in whole units of their class, whose sums are exact."""
        masses = self.sample.masses
        return np.ones(len(self.rows)) if masses is None else masses[self.rows].astype(np.float64)

    @cached_property
    def mass(self) -> np.ndarray:
        """(negatives, positives) in units."""
        return np.bincount(self.labels, weights=self.masses, minlength=2)

    @cached_property
    def features(self) -> np.ndarray:
        """Positions of the features that the cell may be cut on."""
        everything = list(range(self.sample.table.n_features))
        drawn = _core.draw_features(everything, self.max_features, _core.child_key(self.key, 2))
        return np.array(drawn, dtype=np.intp)

    @cached_property
    def means(self) -> np.ndarray:
        """Mean of the observed values of every feature; NaN for categories and where nothing is observed."""
        return observed_means([self.X], self.weights, self.sample.table.schema)

    @property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of each feature; NaN where nothing is observed."""
        return np.fmin.reduce(self.X, axis=0), np.fmax.reduce(self.X, axis=0)

    def take(self, part: np.ndarray) -> Cell:
        """The cell of some of its rows, given by a mask."""
        return replace(self, rows=self.rows[part])

    def children(self, left: np.ndarray, features: Iterable[int] = ()) -> tuple[Cell, Cell]:
        """The better and the other child, given which rows go left, and the features of the cuts, if they matter."""
        below = replace(self, path_features=tuple(sorted({*self.path_features, *features})))
        better = replace(below, rows=self.rows[left], key=_core.child_key(self.key, 0), path=self.path + "+")
        return better, replace(below, rows=self.rows[~left], key=_core.child_key(self.key, 1), path=self.path + "-")

    def gain(self, left: np.ndarray) -> np.ndarray:
        """beta - alpha of the rows that go left, in shares of the cell; the last axis of `left` is that of the rows."""
        negatives, positives = (left[..., self.labels == k] @ self.masses[self.labels == k] for k in (0, 1))
        return (positives * self.mass[0] - negatives * self.mass[1]) / (self.mass[0] * self.mass[1])

    def folds(self, n_folds: int) -> np.ndarray | None:
        """Fold of each row, with both classes outside of every fold; None if a class has a single row."""
        return self.parts(n_folds, _core.child_key(self.key, 4))

    def parts(self, n_folds: int, seed: int) -> np.ndarray | None:
        """The same with a seed."""
        found = self.sample.hold_out.take(self.rows).parts(self.labels, n_folds, seed)
        return None if found is None else found.of


@dataclass(frozen=True)
class Cut:
    """A cell cut in two.

    Attributes
    ----------
    division : Division
        The fitted division.
    left : array of bool
        Which of the cell's training rows go left.
    held_out : bool
        Whether they were sent by held-out routing, and not by the division.
    """

    division: Division
    left: np.ndarray
    held_out: bool = False


def held_out_sides(rule: SplittingRule, cell: Cell, n_folds: int = HELD_OUT_FOLDS) -> np.ndarray | None:
    """Which rows go left by a rule fitted without their fold; None if the cell is too small for folds."""
    folds = cell.folds(n_folds)
    if folds is None:
        return None

    left = np.zeros(len(cell.rows), dtype=bool)
    for fold in range(int(folds.max()) + 1):
        division = rule.learn(cell.take(folds != fold))
        if division is not None:
            left[folds == fold] = cell.answers(division.goes_left, folds == fold)
    return left
