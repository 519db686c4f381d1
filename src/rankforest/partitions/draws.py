"""The rows that are drawn for a tree, as a partition finds them out for itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..forest.sampling import Draw
from .engine import Part
from .rows import PartRows

__all__ = ["ClassPlaces", "DrawnRows"]


@dataclass(frozen=True)
class ClassPlaces:
    """Where the rows of each class are, for draws class by class.

    Attributes
    ----------
    totals : pair of int
        Rows of each class.
    before : dict
        Rows of each class before a partition, by the number of its first row.
    """

    totals: tuple[int, int]
    before: dict[int, tuple[int, int]]

    @classmethod
    def of(cls, labels: np.ndarray, parts: Sequence[Part]) -> ClassPlaces:
        positives = {part.first: int(np.count_nonzero(labels[: part.first])) for part in parts}
        total = int(np.count_nonzero(labels))
        return cls((len(labels) - total, total), {first: (first - k, k) for first, k in positives.items()})


@dataclass(frozen=True)
class DrawnRows:
    """How the rows of one tree are drawn: a partition repeats the draw and keeps the counts of its own rows.

    Attributes
    ----------
    draw : Draw
    n_rows : int
        Rows of the whole table.
    tree : int
    places : ClassPlaces or None
        For draws class by class.
    """

    draw: Draw
    n_rows: int
    tree: int
    places: ClassPlaces | None = None

    @classmethod
    def of(cls, draw: Draw, labels: np.ndarray, parts: Sequence[Part]) -> DrawnRows:
        """The draw of tree 0."""
        places = None if draw.class_sizes is None else ClassPlaces.of(labels, parts)
        return cls(draw, len(labels), 0, places)

    def times(self, rows: PartRows) -> np.ndarray | None:
        """How often each row of a partition is drawn; None if every row once."""
        draw, key = self.draw, _core.sample_key(self.draw.seed, self.tree)
        if not draw.leaves_rows_out:
            return None
        if rows.n_rows == 0:
            return np.zeros(0, dtype=np.uint32)
        if draw.groups is not None:
            n_groups = int(draw.groups.max()) + 1
            of_group = _core.draw_rows_of_range(n_groups, draw.size, draw.replace, key, 0, n_groups)
            return of_group[draw.groups[rows.first : rows.first + rows.n_rows]]
        if self.places is None or draw.class_sizes is None:
            end = rows.first + rows.n_rows
            return _core.draw_rows_of_range(self.n_rows, draw.size, draw.replace, key, rows.first, end)
        times = np.zeros(rows.n_rows, dtype=np.uint32)
        for k in (0, 1):
            own, before = np.flatnonzero(rows.labels == k), self.places.before[rows.first][k]
            if len(own):
                times[own] = _core.draw_rows_of_range(
                    self.places.totals[k], draw.class_sizes[k], draw.replace, _core.child_key(key, k),
                    before, before + len(own),
                )  # fmt: skip
        return times
