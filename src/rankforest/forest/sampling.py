"""Sampling of the rows of each tree of a forest."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from .. import _core
from ..data.parts import need
from ..data.storable import storable

__all__ = ["CLASS_SAMPLING", "Draw", "check_draw", "make_draw"]

CLASS_SAMPLING = ("stratified", "balanced")
# On a small sample a tree needs every row. On a large one a part is enough, and makes the trees more different.
ALL_UP_TO = 10_000


@storable
@dataclass(frozen=True)
class Draw:
    """How the rows of a tree are drawn.

    Attributes
    ----------
    size : int
        Number of rows drawn; 0 takes every row once.
    replace : bool
    class_sizes : tuple of int or None
        Numbers of negatives and of positives, if each class is drawn separately; None draws from all rows.
    seed : int
        The draw of tree b depends only on (seed, b).
    """

    size: int
    replace: bool
    class_sizes: tuple[int, int] | None
    seed: int

    @property
    def leaves_rows_out(self) -> bool:
        """Whether trees leave rows out, so that there are out-of-bag rows."""
        return self.size > 0 or self.class_sizes is not None

    def check(self) -> None:
        """Refuse a draw that no fit makes."""
        sizes = (self.size, self.seed, *(self.class_sizes if isinstance(self.class_sizes, tuple) else ()))
        whole = all(type(size) is int and 0 <= size <= 1 << 62 for size in sizes)
        need(whole and type(self.replace) is bool, "the sampling of its rows is invalid")
        need(self.class_sizes is None or len(sizes) == 4, "the sampling of its rows is invalid")

    def times(self, labels: np.ndarray, tree: int) -> np.ndarray:
        """How often each row is in the sample of a tree."""
        return _core.sample_of_tree(labels, self.size, self.replace, self.class_sizes, self.seed, tree)

    def out_of_bag(self, labels: np.ndarray, first_tree: int, n_trees: int, n_threads: int) -> np.ndarray:
        """Out-of-bag bits, one row per tree, the lowest bit of a byte first: 1 for rows the tree is not trained on."""
        return _core.out_of_bag_bits(
            labels, self.size, self.replace, self.class_sizes, self.seed, first_tree, n_trees, n_threads
        )


def check_draw(max_samples: Any, class_sampling: Any, n_rows: int) -> None:
    """Raise ValueError if a parameter of the draw is invalid."""
    whole = isinstance(max_samples, Integral) and not isinstance(max_samples, bool)
    share = isinstance(max_samples, Real) and not isinstance(max_samples, Integral)
    fine = max_samples is None or max_samples == "auto" or (whole and 1 <= int(max_samples) <= n_rows)
    if not fine and not (share and 0.0 < float(max_samples) <= 1.0):
        raise ValueError(
            f"max_samples is {max_samples!r}; give 'auto', None, a share in (0, 1] or a whole number from 1 to "
            f"{n_rows}, the number of rows."
        )
    if class_sampling is not None and class_sampling not in CLASS_SAMPLING:
        raise ValueError(f"class_sampling is {class_sampling!r}; choose None, 'stratified' or 'balanced'.")


def make_draw(labels: np.ndarray, *, bootstrap: bool, max_samples: Any, class_sampling: Any, seed: int) -> Draw:
    """The draw for the parameters of a forest.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 0, 1, 1], dtype=np.uint8)
    >>> make_draw(labels, bootstrap=True, max_samples=None, class_sampling="balanced", seed=0).class_sizes
    (2, 2)
    """
    n = len(labels)
    check_draw(max_samples, class_sampling, n)
    if max_samples == "auto":
        size = n if n <= ALL_UP_TO else ALL_UP_TO + (n - ALL_UP_TO) // 4
    elif max_samples is None:
        size = n
    elif isinstance(max_samples, Integral):
        size = int(max_samples)
    else:
        size = max(1, round(float(max_samples) * n))
    if class_sampling is None:
        return Draw(0 if size == n and not bootstrap else size, bool(bootstrap), None, seed)
    rows = np.bincount(labels, minlength=2)
    # at most as many of each class as the rarer class has rows: drawn more often, these would never be out of bag
    balanced = class_sampling == "balanced"
    sizes = np.minimum([size - size // 2, size // 2], rows.min()) if balanced else np.rint(size * rows / n)
    sizes = np.clip(sizes, 1, rows)
    if not bootstrap and np.array_equal(sizes, rows):
        return Draw(0, False, None, seed)
    return Draw(0, bool(bootstrap), (int(sizes[0]), int(sizes[1])), seed)
