"""How rows are held out: row by row, whole groups at a time, or the later rows.

Folds, bags, halves and pilots are all drawn here. A fit holds rows out to choose (a size, a number of rounds, a kind of
trees) and to judge (a held-out AUC, a calibration). That is honest only if a held-out row is as new to the model as the
rows that it will score. Rows of the same customer, or of the same day, are not new to each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from .. import _core
from .folds import Folds, ordered_folds, stratified_folds

__all__ = ["ANY_ROWS", "Forward", "Groups", "HoldOut"]


@dataclass(frozen=True, eq=False)
class HoldOut:
    """Any rows are held out, in folds with equal shares of all classes."""

    @property
    def groups(self) -> np.ndarray | None:
        """Group of each row, int32 from 0 on: a bag or a fold has all rows of a group or none. None: no groups."""
        return None

    @property
    def forward(self) -> bool:
        """Whether folds go forward in time."""
        return False

    @property
    def words(self) -> str | None:
        """How rows are held out, to follow a held-out figure; None: row by row."""
        return None

    def called(self, name: str) -> Self:
        """The same, with the name of the column of groups or times."""
        return self

    def take(self, rows: np.ndarray | slice) -> Self:
        """The same for some of the rows: a mask, positions, or a slice."""
        return self

    def most_folds(self, labels: np.ndarray) -> int:
        """Largest number of folds of which each can have a row of both classes."""
        return int(np.bincount(labels, minlength=2).min())

    def folds(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds:
        """So many folds to judge a model by, each with rows of both classes; ValueError if there cannot be so many."""
        return Folds(stratified_folds(labels, n_folds, seed), n_folds)

    def folds_at_most(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds | None:
        """The same, at most so many; None if there cannot be two."""
        n_folds = min(n_folds, self.most_folds(labels))
        return None if n_folds < 2 else self.folds(labels, n_folds, seed)

    def parts(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds | None:
        """At most so many folds of which every row is in one, and is answered for by models of the others.

        They choose how a cell is cut; they do not judge a model.
        """
        return self.folds_at_most(labels, n_folds, seed)

    def ordered_folds(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds:
        """Folds to judge a model of ordered labels by; ValueError if there cannot be so many."""
        if len(labels) < n_folds:
            raise ValueError(
                f"n_folds is {n_folds}, and there are {len(labels)} rows; set it lower, or pruning to None."
            )
        return Folds(ordered_folds(labels, n_folds, seed), n_folds)

    def check(self, labels: np.ndarray) -> None:
        """Raise ValueError if no rows can be held out, before any work."""

    def check_folds(self, labels: np.ndarray, n_folds: int) -> None:
        """Raise ValueError if there cannot be so many folds, before any work."""

    def part(self, labels: np.ndarray, share: float, seed: int) -> np.ndarray | None:
        """Positions of about this share of the rows, to be held out; None: any rows will do."""
        return None

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        """Numbers of rows by which they are put into halves: rows that stay together have the same number."""
        return rows

    def half(self, n_rows: int, seed: int) -> np.ndarray:
        """Whether each row is in the first of two halves."""
        return np.random.default_rng(seed).permutation(n_rows) % 2 == 0


ANY_ROWS = HoldOut()


@dataclass(frozen=True, eq=False)
class Groups(HoldOut):
    """Rows of a group stay together, in folds with shares of all classes that are as equal as possible.

    Attributes
    ----------
    codes : array of int32
        Group of each row, from 0 on.
    name : str or None
        Name of their column.

    Examples
    --------
    >>> groups = Groups(np.array([0, 0, 1, 1, 2, 2, 3], dtype=np.int32))
    >>> folds = groups.folds(np.array([0, 1, 0, 1, 0, 1, 0], dtype=np.uint8), 2, seed=0)
    >>> sorted(np.unique(folds.of[groups.codes == g]).size for g in range(4))
    [1, 1, 1, 1]
    """

    codes: np.ndarray
    name: str | None = field(default=None, kw_only=True)

    @property
    def groups(self) -> np.ndarray | None:
        return self.codes

    @property
    def words(self) -> str | None:
        n_groups = len(np.unique(self.codes))
        return f"{n_groups} groups{'' if self.name is None else f' of {self.name}'} kept together"

    def called(self, name: str) -> Self:
        return replace(self, name=name)

    def take(self, rows: np.ndarray | slice) -> Self:
        return replace(self, codes=self.codes[rows])

    def most_folds(self, labels: np.ndarray) -> int:
        return min(len(np.unique(self.codes[labels == k])) for k in (0, 1))

    def folds(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds:
        self.check_folds(labels, n_folds)
        found = self.parts(labels, n_folds, seed)
        if found is None or found.n_folds < n_folds:
            raise ValueError(
                f"{n_folds} folds of whole {self._units} cannot all have rows of both classes; set n_folds lower."
            )
        return found

    def folds_at_most(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds | None:
        return self.parts(labels, n_folds, seed)

    def parts(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds | None:
        of = _core.group_folds(labels, self.codes, 2, True, n_folds, seed)
        n_found = int(of.max()) + 1
        return None if n_found < 2 else Folds(of, n_found)

    def ordered_folds(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds:
        self._check_enough(n_folds)
        return Folds(_core.group_folds(labels, self.codes, int(labels.max()) + 1, False, n_folds, seed), n_folds)

    def check(self, labels: np.ndarray) -> None:
        if self.most_folds(labels) < 2:
            raise ValueError(
                "All rows of one class are in a single group, so they cannot be held out; give smaller groups, or none."
            )

    def check_folds(self, labels: np.ndarray, n_folds: int) -> None:
        self._check_enough(n_folds)
        fewest = self.most_folds(labels)
        if fewest < n_folds:
            raise ValueError(
                f"{n_folds} folds need rows of each class in at least {n_folds} {self._units}, and one class is in "
                f"{fewest}; set n_folds lower."
            )

    def _check_enough(self, n_folds: int) -> None:
        n_groups = len(np.unique(self.codes))
        if n_groups < n_folds:
            raise ValueError(
                f"{n_folds} folds need at least {n_folds} {self._units}, and there are {n_groups}; set n_folds lower."
            )

    @property
    def _units(self) -> str:
        return "groups"

    def part(self, labels: np.ndarray, share: float, seed: int) -> np.ndarray | None:
        """Groups drawn without regard to labels, so that they are as exchangeable with fresh groups as all are."""
        distinct = np.unique(self.codes)
        n_out = min(max(1, round(share * len(distinct))), len(distinct) - 1)
        drawn = np.random.default_rng(seed).permutation(distinct)[:n_out]
        return np.flatnonzero(np.isin(self.codes, drawn))

    def numbers(self, rows: np.ndarray) -> np.ndarray:
        return self.codes[rows].astype(np.int64)

    def half(self, n_rows: int, seed: int) -> np.ndarray:
        of_group = np.random.default_rng(seed).permutation(int(self.codes.max()) + 1) % 2 == 0
        return of_group[self.codes]


@dataclass(frozen=True, eq=False)
class Forward(Groups):
    """Models are judged on later rows than those that they learn from; rows of the same time stay together.

    The rows are divided into one block more than there are folds, in the order of their times. The model of a fold
    learns from the blocks before it. So the rows of the first block are never held out.

    Attributes
    ----------
    codes : array of int32
        Place of each row's time among the distinct times, 0 = first.
    name : str or None
        Name of the column of times.
    given : bool
        Whether the times are the blocks: the last ones are the folds, and none are joined or divided.
    """

    given: bool = field(default=False, kw_only=True)

    @property
    def forward(self) -> bool:
        return True

    @property
    def words(self) -> str | None:
        return f"each row after those learned from{'' if self.name is None else f', by {self.name}'}"

    @property
    def _units(self) -> str:
        return "times"

    def folds(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds:
        found = self._blocks(labels, n_folds)
        if found is None:
            raise ValueError(
                f"{n_folds} folds forward in time need {n_folds + 1} blocks of adjacent times with rows of both "
                "classes, which these times do not have; set n_folds lower."
            )
        return found

    def folds_at_most(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds | None:
        possible = (self._blocks(labels, n) for n in range(n_folds, 0, -1))
        return next((found for found in possible if found is not None), None)

    def ordered_folds(self, labels: np.ndarray, n_folds: int, seed: int) -> Folds:
        self._check_enough(n_folds + 1)
        found = self._blocks(np.zeros_like(labels), n_folds, every_class=False)
        assert found is not None
        return found

    def check(self, labels: np.ndarray) -> None:
        if self.folds_at_most(labels, 2, 0) is None:
            raise ValueError(
                "No time has rows of both classes before it and from it on, so that later rows cannot be held out; "
                "leave time out."
            )

    def check_folds(self, labels: np.ndarray, n_folds: int) -> None:
        self.folds(labels, n_folds, 0)

    def part(self, labels: np.ndarray, share: float, seed: int) -> np.ndarray | None:
        first = np.quantile(self.codes, 1.0 - share, method="higher")
        return np.flatnonzero(self.codes >= max(first, self.codes.min() + 1))

    def _blocks(self, labels: np.ndarray, n_folds: int, *, every_class: bool = True) -> Folds | None:
        """Blocks of about the same mass, where all classes weigh the same; None if one of them lacks a class."""
        of = self._last_given(n_folds) if self.given else self._of_equal_mass(labels, n_folds, every_class)
        needed = [of] if not every_class else [of[labels == k] for k in (0, 1)]
        if any(len(np.unique(each)) < n_folds + 1 for each in needed):
            return None
        return Folds(of, n_folds, forward=True)

    def _last_given(self, n_folds: int) -> np.ndarray:
        """The fold of each row: the last blocks are folds, and all before are the first block."""
        number = np.unique(self.codes, return_inverse=True)[1]
        return np.maximum(number - (int(number.max()) - n_folds) - 1, -1)

    def _of_equal_mass(self, labels: np.ndarray, n_folds: int, every_class: bool) -> np.ndarray:
        n_times = int(self.codes.max()) + 1
        shares = []
        for k in (0, 1) if every_class else (0,):
            rows = np.bincount(self.codes[labels == k], minlength=n_times)
            shares.append(np.cumsum(rows) / max(1, rows.sum()))
        before = np.mean([np.append(0.0, share[:-1]) for share in shares], axis=0)
        middle = (before + np.mean(shares, axis=0)) / 2.0
        block = np.minimum((middle * (n_folds + 1)).astype(np.int64), n_folds)
        return block[self.codes] - 1
