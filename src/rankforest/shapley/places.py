"""Contributions in places of a list: by how many places each feature moves a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..words import number

__all__ = ["Places", "places_of"]

_EQUAL = 1e-9  # a sum of contributions that is this close to a score of the list shares its place


@dataclass(frozen=True, repr=False, eq=False)
class Places:
    """By how many places of a list each feature moves each row.

    Attributes
    ----------
    values : array of shape (n, q)
        Places gained (positive, towards the first place) or lost; they add up to ``start - end``.
    start, end : arrays of shape (n,)
        Place of the base value, and of the row: 1 is the first, and equal scores share their mean place.
    order : array of int of shape (n, q)
        The features in the order in which they were added to the base value, the largest contribution first.
    n_listed : int
        Rows of the list.
    feature_names : tuple of str
    """

    values: np.ndarray
    start: np.ndarray
    end: np.ndarray
    order: np.ndarray
    n_listed: int
    feature_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)

    def tell(self, row: int, most: int = 10) -> str:
        """The way of one row through the list, in words.

        Parameters
        ----------
        row : int
        most : int
            Most features that are named.
        """
        lines = [f"From place {_place(self.start[row])} to {_place(self.end[row])} of {self.n_listed}:"]
        place, named = float(self.start[row]), 0
        for j in self.order[row]:
            gained = float(self.values[row, j])
            if gained == 0.0:
                continue
            if named == most:
                lines.append(f"  all other features: to place {_place(self.end[row])}")
                break
            place, named = place - gained, named + 1
            lines.append(f"  {self.feature_names[j]}: {'up' if gained > 0 else 'down'} to place {_place(place)}")
        return "\n".join(lines)

    def to_dict(self, row: int) -> dict[str, Any]:
        """One row in plain values."""
        moves = {self.feature_names[j]: float(self.values[row, j]) for j in self.order[row]}
        return {"from": float(self.start[row]), "to": float(self.end[row]), "of": self.n_listed, "gained": moves}

    def __str__(self) -> str:
        if len(self) == 1:
            return self.tell(0)
        return f"Places of {len(self)} rows in a list of {self.n_listed}; tell(i) has the moves of row i."

    __repr__ = __str__


def places_of(
    values: np.ndarray, base: np.ndarray, scores: np.ndarray, listed: np.ndarray, names: Any, *, own: bool
) -> Places:
    """The moves of each row.

    Parameters
    ----------
    values : array of shape (n, q)
        Contributions.
    base, scores : arrays of shape (n,)
        Scores before and after all contributions.
    listed : array of shape (m,)
        Scores of the list.
    names : tuple of str
    own : bool
        Whether row i is row i of the list, and so has its place among the others.

    Examples
    --------
    >>> found = places_of(np.array([[0.1, 0.5]]), np.array([0.2]), np.array([0.8]), np.array([0.9, 0.5, 0.25]),
    ...                   ("age", "debt"), own=False)
    >>> print(found)
    From place 4 to 2 of 3:
      debt: up to place 2
    """
    order = np.argsort(-np.abs(values), axis=1, kind="stable")
    steps = np.cumsum(np.take_along_axis(values, order, axis=1), axis=1) + base[:, None]
    steps[:, -1] = scores  # without the rounding errors of the sum
    path = np.column_stack([base, steps])
    ascending = np.sort(listed)
    near = np.full(path.shape[1], _EQUAL * max(1.0, float(np.abs(ascending).max())))
    near[-1] = 0.0  # the place of a row is that of its score
    above = len(listed) - np.searchsorted(ascending, path + near, side="right")
    not_below = len(listed) - np.searchsorted(ascending, path - near, side="left")
    if own:  # a row is not above itself, nor equal to itself
        above = above - (scores[:, None] > path + near)
        not_below = not_below - (scores[:, None] >= path - near)
    place = 1.0 + (above + not_below) / 2
    gained = np.empty_like(values)
    np.put_along_axis(gained, order, place[:, :-1] - place[:, 1:], axis=1)
    return Places(gained, place[:, 0], place[:, -1], order, len(listed), names)


def _place(place: float) -> str:
    return number(round(float(place), 1))
