"""The arrays of a file by name: `put` stores an array, `take` returns it after a check of type and shape."""

from __future__ import annotations

from typing import cast

import numpy as np

from ..data.left_out import LeftOut
from .errors import require

__all__ = ["Shelf"]


class Shelf:
    """Named arrays; each part of a model has its own prefix.

    Parameters
    ----------
    arrays : dict, optional
    without : names
        Arrays of trees that `put` leaves out.
    left_out : set of full names, optional
        Arrays that were left out; `take` gives a `LeftOut` for them.

    Examples
    --------
    >>> shelf = Shelf()
    >>> shelf.below("tree").put("value", np.arange(2.0))
    >>> shelf.arrays
    {'tree.value': array([0., 1.])}
    >>> shelf.below("tree").take("value", np.float64, 2)
    array([0., 1.])
    """

    def __init__(
        self,
        arrays: dict[str, np.ndarray] | None = None,
        *,
        without: frozenset[str] = frozenset(),
        left_out: set[str] | None = None,
        _of: Shelf | None = None,
        _name: str = "",
    ) -> None:
        self.arrays: dict[str, np.ndarray] = _of.arrays if _of is not None else (arrays or {})
        self.left_out: set[str] = _of.left_out if _of is not None else (left_out or set())
        self.without: frozenset[str] = _of.without if _of is not None else without
        self._taken: set[str] = _of._taken if _of is not None else set()
        self._name = _name

    def below(self, name: str) -> Shelf:
        """The shelf with this prefix."""
        return Shelf(_of=self, _name=f"{self._name}{name}.")

    def put(self, name: str, array: np.ndarray) -> None:
        assert self._name + name not in self.arrays, "every array needs its own name"
        self.arrays[self._name + name] = array

    def leave_out(self, name: str) -> None:
        """Note that this array is not stored."""
        self.left_out.add(self._name + name)

    def __contains__(self, name: str) -> bool:
        return self._name + name in self.arrays

    def take(self, name: str, dtype: type[np.generic], *shape: int | None) -> np.ndarray:
        """An array of this type and shape; None is any length. A `LeftOut` for an array that was left out."""
        if self._name + name in self.left_out:
            require(self._name + name not in self.arrays, f"its array {self._name + name!r} is left out and stored")
            return cast(np.ndarray, LeftOut(name))
        full, array = self._name + name, self.take_any(name)
        require(array.dtype == dtype, f"its array {full!r} has the dtype {array.dtype}, not {np.dtype(dtype)}")
        fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
        require(fits, f"its array {full!r} has the shape {array.shape}")
        return array

    def take_any(self, name: str) -> np.ndarray:
        """An array of any type and shape."""
        full = self._name + name
        require(full in self.arrays, f"it has no array {full!r}")
        self._taken.add(full)
        return self.arrays[full]

    def check_empty(self) -> None:
        """Raise ModelFileError if there are arrays that were not taken."""
        left = sorted(self.arrays.keys() - self._taken)
        require(not left, f"it has the array {left[0] if left else ''!r}, which this kind of model does not have")
