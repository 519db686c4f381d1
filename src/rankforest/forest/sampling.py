"""Sampling of the rows of each tree of a forest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from .. import _core
from ..data.hold_out import ANY_ROWS, HoldOut
from ..data.left_out import LeftOut
from ..data.options import Options
from ..data.parts import need
from ..data.storable import storable

__all__ = ["Draw", "GroupDraw", "Sampling"]

# A tree needs every row, until there are so many that it gets too large: trees on a part of them are coarser.
ALL_UP_TO = 1_000_000


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
    def given(self) -> np.ndarray | None:
        """How often each row of the one tree counts, if its rows have been drawn already."""
        return None

    @property
    def groups(self) -> np.ndarray | None:
        """Group of each row, if whole groups are drawn."""
        return None

    @property
    def blocks(self) -> np.ndarray | None:
        """The fold that each row judges, if trees are judged forward in time; -1 for rows that judge none."""
        return None

    @property
    def without_groups(self) -> Draw:
        """The same without the groups of the rows, for a model file."""
        return self

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
        return _core.sample_of_tree(labels, self.size, self.replace, self.class_sizes, self.seed, tree, self.groups)

    def out_of_bag(self, labels: np.ndarray, first_tree: int, n_trees: int, n_threads: int) -> np.ndarray:
        """Out-of-bag bits, one row per tree, the lowest bit of a byte first: 1 for rows the tree is not trained on."""
        return _core.out_of_bag_bits(
            labels, self.size, self.replace, self.class_sizes, self.seed, first_tree, n_trees, n_threads, self.groups
        )

    def grown(
        self,
        sample: Any,
        grow: Callable[..., Sequence[Any]],
        growth: Any,
        *,
        first_tree: int,
        n_trees: int,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> Sequence[Any]:
        """Trees that a function grows on rows drawn for each of them."""
        grown: Sequence[Any] = sample.grown_on_draws(
            grow, growth, self, first_tree=first_tree, n_trees=n_trees, n_threads=n_threads, progress=progress
        )
        return grown


@dataclass(frozen=True)
class GroupDraw(Draw):
    """A draw of whole groups: a row is out of bag only if its whole group is. `size` counts groups."""

    codes: np.ndarray  # group of each row, as int32 from 0 on

    @classmethod
    def of(cls, draw: Draw, codes: np.ndarray) -> GroupDraw:
        """The draw of a model file, with the groups of its rows."""
        need(draw.class_sizes is None, "the sampling of its rows is invalid")
        if not isinstance(codes, LeftOut):
            n_groups = int(codes.max(initial=-1)) + 1
            sound = codes.min(initial=0) >= 0 and max(1, draw.size) <= n_groups <= len(codes)
            need(sound, "the groups of its rows are invalid")
        return cls(draw.size, draw.replace, None, draw.seed, codes)

    @property
    def groups(self) -> np.ndarray:
        return self.codes

    @property
    def without_groups(self) -> Draw:
        return Draw(self.size, self.replace, None, self.seed)


@storable
class Sampling(Options):
    """Sampling of the rows of each tree of a forest. The short form, a number, share, None or "auto", is the size.

    Parameters
    ----------
    size : "auto", None, int or float, default="auto"
        Number or share of the rows drawn for a tree. None draws as many as there are; "auto" does so up to a
        million rows, and adds a quarter of the rows beyond.
    replace : bool, default=True
        Draw with replacement. If False and all rows are drawn, there are no out-of-bag rows.
    classes : {None, "stratified", "balanced"}, default=None
        Draw each of two classes separately: "stratified" with the shares of the whole sample, "balanced" equally many
        of both, at most as many as the rarer class has. None draws from all rows.
    oob : bool, default=True
        Compute out-of-bag scores and figures in `fit`. The probabilities of a `RankingForest` are calibrated on them;
        without them they are the mean rates of the trees' cells, and `fit` is faster.

    Examples
    --------
    >>> from rankforest import RankingForest, Sampling
    >>> forest = RankingForest(sampling=Sampling(0.5, replace=False))
    >>> forest
    RankingForest(sampling=Sampling(replace=False, size=0.5))
    >>> forest.set_params(sampling__classes="balanced").sampling.classes
    'balanced'
    """

    def __init__(self, size: Any = "auto", *, replace: bool = True, classes: str | None = None, oob: bool = True):
        self.size = size
        self.replace = replace
        self.classes = classes
        self.oob = oob

    def check(self, n_rows: int, *, ordered: bool = False) -> None:
        """Raise ValueError if a parameter is invalid for `n_rows` rows of two classes or of ordered labels."""
        size = self.size
        whole = isinstance(size, Integral) and not isinstance(size, bool)
        share = isinstance(size, Real) and not isinstance(size, Integral)
        named = size is None or (isinstance(size, str) and size == "auto")
        if not named and not (whole and 1 <= int(size) <= n_rows) and not (share and 0.0 < float(size) <= 1.0):
            raise ValueError(
                f"size of sampling is {size!r}; give 'auto', None, a share in (0, 1] or a whole number from 1 to "
                f"{n_rows}, the number of rows."
            )
        for name in ("replace", "oob"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"{name} of sampling is {getattr(self, name)!r}; give True or False.")
        if ordered and self.classes is not None:
            raise ValueError(
                f"classes of sampling is {self.classes!r}, and rows of ordered labels are not drawn class by class; "
                "set it to None."
            )
        if self.classes not in (None, "stratified", "balanced"):
            raise ValueError(f"classes of sampling is {self.classes!r}; choose None, 'stratified' or 'balanced'.")

    def check_hold_out(self, hold_out: HoldOut) -> None:
        """Raise ValueError if rows cannot be drawn so that they are held out in this way."""
        if hold_out.groups is not None and not hold_out.forward and self.classes is not None:
            raise ValueError(
                f"classes of sampling is {self.classes!r}, and whole groups are not drawn class by class; set it to "
                "None, or leave groups out."
            )

    def draw(self, labels: np.ndarray, seed: int, hold_out: HoldOut = ANY_ROWS) -> Draw:
        """The draw of rows with these labels; of whole groups, about as many as have so many rows.

        If folds go forward in time, it is that of the trees of the model, which learn from all rows.

        Examples
        --------
        >>> labels = np.array([0, 0, 0, 0, 1, 1], dtype=np.uint8)
        >>> Sampling(None, classes="balanced").draw(labels, seed=0).class_sizes
        (2, 2)
        """
        n, replace = len(labels), bool(self.replace)
        self.check(n)
        size = self.rows_of(n)
        if hold_out.groups is not None and not hold_out.forward:
            self.check_hold_out(hold_out)
            distinct, codes = np.unique(hold_out.groups, return_inverse=True)
            size = max(1, round(size * len(distinct) / n))
            size = 0 if size == len(distinct) and not replace else size
            return GroupDraw(size, replace, None, seed, codes.astype(np.int32))
        if self.classes is None:
            return Draw(0 if size == n and not replace else size, replace, None, seed)
        rows = np.bincount(labels, minlength=2)
        # at most as many of each class as the rarer class has rows: drawn more often, these would never be out of bag
        balanced = self.classes == "balanced"
        sizes = np.minimum([size - size // 2, size // 2], rows.min()) if balanced else np.rint(size * rows / n)
        sizes = np.clip(sizes, 1, rows)
        if not replace and np.array_equal(sizes, rows):
            return Draw(0, False, None, seed)
        return Draw(0, replace, (int(sizes[0]), int(sizes[1])), seed)

    def rows_of(self, n: int) -> int:
        """Number of rows drawn for a tree, of n."""
        if isinstance(self.size, str):  # "auto"
            return n if n <= ALL_UP_TO else ALL_UP_TO + (n - ALL_UP_TO) // 4
        if self.size is None:
            return n
        return int(self.size) if isinstance(self.size, Integral) else max(1, round(float(self.size) * n))
