"""Dyadic cubes: every cell is a union of cubes of one grid of the feature space (2011 paper, sections 3.2, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from .. import _core
from ..data.parameters import MISSING, at_least, chosen
from ..data.schema import Schema
from ..data.storable import storable
from .cell import Cell, SplittingRule
from .grid import Grid, as_cubes
from .resolution import choose_resolution

__all__ = ["Cubes", "Dyadic"]


@dataclass(frozen=True)
class Cubes:
    """The occupied cubes of a cell, those that go left among them.

    Attributes
    ----------
    features : array of int
    grid : Grid
        Of these features.
    left : array of void
        The cubes that go left, sorted; a cube is the row of its interval numbers. All other cubes go right, occupied or
        not, so they are not stored.
    n_occupied : int
    """

    features: np.ndarray
    grid: Grid
    left: np.ndarray
    n_occupied: int

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        cubes = as_cubes(self.grid.places(X[:, self.features]))
        at = np.minimum(np.searchsorted(self.left, cubes), len(self.left) - 1)
        return self.left[at] == cubes

    def words(self, better: bool) -> str:
        return (
            f"{'in' if better else 'not in'} the {len(self.left)} best of {self.n_occupied} occupied cubes of side "
            f"1/{2**self.grid.resolution}"
        )


@storable
class Dyadic(SplittingRule, BaseEstimator):
    """Splitting rule: the occupied cubes of a dyadic grid, sorted by beta/alpha and merged.

    The whole tree has one grid: the range of every numeric feature in the training table is cut into 2^resolution
    intervals. Cells are unions of its cubes, so the ROC curve of the training rows is concave, and there are never more
    strata than cubes. A fully grown tree is the list of all occupied cubes, sorted by beta/alpha.

    Each category is its own interval. Only occupied cubes are stored. When scoring, all other cubes go right, and
    values outside the range belong to the cubes at its border. The number of cubes is exponential in the number of
    features: with more than a few features every row is alone in its cube and nothing is learned. Then draw features
    (`max_features` of TreeRank), or use LeafRank.

    Parameters
    ----------
    resolution : int or None, default=None
        Every numeric feature is cut into 2^resolution intervals. None chooses the resolution whose sorted cubes rank
        held-out training rows best (5-fold cross-validation), once per tree; a forest chooses it once for all its
        trees.
    box : {"table", "cell"}, default="table"
        The range that is cut: "table", that of the training table, once, as in the paper; or "cell", that of every
        cell. With "cell" the cubes get smaller from level to level, and a coarse resolution, mostly 1, ranks better
        than the paper's rule (user guide). But there can be more strata than cubes, the ROC curve of the training rows
        need not be concave, and there is no structural penalty. "cell" needs a resolution.
    missing : {"learned", "cell_mean"}, default="learned"
        Missing numbers: "learned" makes "missing" its own interval, "cell_mean" replaces them by the mean of the tree's
        training rows.

    Examples
    --------
    >>> from rankforest import Dyadic, TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.uniform_mixture(1000, random_state=0)
    >>> TreeRank(Dyadic(1), max_depth=3).fit(sample.X, sample.y).tree_
    RuleTree(4 strata, depth 2, 3 splits, training AUC 0.755)
    """

    def __init__(self, resolution: int | None = None, *, box: str = "table", missing: str = "learned") -> None:
        self.resolution = resolution
        self.box = box
        self.missing = missing

    def check(self, schema: Schema) -> None:
        if self.resolution is not None and at_least("Dyadic's resolution", self.resolution, 1) > 30:
            raise ValueError(f"Dyadic's resolution is {self.resolution}; the most is 30, a billion intervals.")
        if chosen("Dyadic's box", self.box, ("table", "cell")) == 1 and self.resolution is None:
            raise ValueError("Dyadic's box is 'cell' and its resolution is None; give a resolution, for instance 1.")
        chosen("Dyadic's missing", self.missing, MISSING)

    def settled(self, root: Cell) -> Dyadic:
        """The rule with a resolution."""
        if self.resolution is not None:
            return self
        return Dyadic(choose_resolution(root, self.missing), missing=self.missing)

    def learn(self, cell: Cell) -> Cubes | None:
        resolution = choose_resolution(cell, self.missing) if self.resolution is None else self.resolution
        if self.box == "table":
            grid = Grid.of(cell.sample, resolution, self.missing)
        else:
            means = cell.means if self.missing == "cell_mean" else None
            grid = Grid.between(*cell.box, cell.sample.table.schema, resolution, means)
        grid = grid.of_features(cell.features)
        cubes, place = np.unique(as_cubes(grid.places(cell.X[:, cell.features])), return_inverse=True)
        counts = np.bincount(place, minlength=len(cubes)).astype(np.float64)
        masses = np.column_stack(
            [np.bincount(place, weights=cell.masses * (cell.labels == k), minlength=len(cubes)) for k in (0, 1)]
        )
        order, n_left, _ = _core.merge_leaves(masses.ravel().tolist(), counts.tolist(), float(cell.min_samples_leaf))
        if n_left == 0:
            return None
        return Cubes(cell.features, grid, np.sort(cubes[order[:n_left]]), len(cubes))
