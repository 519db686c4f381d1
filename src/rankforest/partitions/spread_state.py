"""A state of rows in partitions: sums of it are added up, changes of it are sent to all partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np

from .boosters import bits_of, flags_of
from .rows import PartRows
from .spread import Spread

__all__ = ["SpreadState"]


class SpreadState:
    """What a function keeps of some rows in partitions; stands for the state of `Sample.states_of`.

    Parameters
    ----------
    spread : Spread
    make : callable
    rows : array
        Numbers of the rows, increasing.
    arguments : tuple
        Further arguments of `make`.
    """

    def __init__(self, spread: Spread, make: Callable[..., Any], rows: np.ndarray, arguments: tuple[Any, ...]) -> None:
        self.spread, self.name = spread, uuid4().hex
        flags = np.zeros(spread.n_rows, dtype=np.uint8)
        flags[rows] = 1
        self._own = [bits_of(flags, part) for part in spread.parts]
        self._start = (make, arguments)
        self._changes: list[tuple[Any, ...]] = []
        self._n_sent = -1  # nothing yet, not even the start
        spread.living.add(self)

    def add(self, *arguments: Any) -> None:
        """Change the state; partitions hear of it with the next question."""
        self._changes.append(arguments)

    def sums(self, *arguments: Any) -> np.ndarray:
        """The sum over all partitions."""
        found = None if self._n_sent < 0 else self._ask(arguments, whole=False)
        if found is None or found.array is None:
            found = self._ask(arguments, whole=True)
        self._n_sent = len(self._changes)
        assert found.array is not None
        return found.array

    def _ask(self, arguments: tuple[Any, ...], whole: bool) -> Sums:
        first = 0 if whole else self._n_sent
        asked = Asked(
            self.name, self.spread.names_of_living(), first, tuple(self._changes[first:]), arguments,
            self._start if whole else None,
        )  # fmt: skip
        return self.spread.total(sums_of, asked, own=self._own if whole else [None] * len(self._own))


@dataclass(frozen=True)
class Asked:
    """A question about a state.

    Attributes
    ----------
    name : str
    living : tuple of str
        As in `Spread.names_of_living`.
    first : int
        Number of changes before these.
    changes : tuple of tuples
        Arguments of `add`.
    arguments : tuple
        Arguments of `sums`.
    start : tuple or None
        How the state is made, if `changes` are all changes.
    """

    name: str
    living: tuple[str, ...]
    first: int
    changes: tuple[tuple[Any, ...], ...]
    arguments: tuple[Any, ...]
    start: tuple[Callable[..., Any], tuple[Any, ...]] | None


@dataclass(frozen=True)
class Sums:
    """Sums of a partition; None if it has lost the state."""

    array: np.ndarray | None

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + (0 if self.array is None else self.array.nbytes)

    def __add__(self, other: Sums) -> Sums:
        return Sums(None if self.array is None or other.array is None else self.array + other.array)


def sums_of(rows: PartRows, bits: np.ndarray | None, asked: Asked) -> Sums:
    """Sums of the rows of a partition, after the changes."""
    rows.live.keep_only(asked.living)
    n_changes, state = rows.live.take((asked.name, 0)) or (-1, None)
    last = asked.first + len(asked.changes)
    if not asked.first <= n_changes <= last:
        if asked.start is None or bits is None:
            return Sums(None)
        make, arguments = asked.start
        some = np.flatnonzero(flags_of(bits, rows.n_rows))
        weights = None if rows.weights is None else rows.weights[some]
        state = make(rows.codes[some], rows.labels[some], weights, rows.first + some, *arguments)
        n_changes = 0
    for change in asked.changes[n_changes - asked.first :]:
        state.add(*change)  # type: ignore[union-attr]
    found = state.sums(*asked.arguments)  # type: ignore[union-attr]
    rows.live.put((asked.name, 0), (last, state))
    return Sums(found)
