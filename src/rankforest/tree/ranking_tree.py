"""A fitted ranking tree as flat arrays.

The master tree orders cells from left (best) to right. Scoring walks a decision DAG: the inner leaves of a master
node point directly to the first inner node of the child's split, so that no subtree is stored twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from .. import _core
from ..data.binning import BinnedTable
from ..data.schema import Schema
from .master_tree import MasterTree
from .walk import make_dag

__all__ = ["NODE_ARRAYS", "RankingTree"]

# arrays of an inner node that do not depend on its tree; its children, its owner and its set offset can change
NODE_ARRAYS = ("feature", "threshold", "digits", "missing_left", "node_mass", "left_mass", "node_count", "left_count")


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class RankingTree(MasterTree):
    """A fitted ranking tree with axis-parallel cuts.

    The cells are those of `MasterTree`; masses are pairs (negatives, positives) of training weight.

    Attributes
    ----------
    feature, threshold, left, right, missing_left, set_offset, sets : arrays
        The decision DAG. Node i sends a row left when ``x[feature[i]] <= threshold[i]``, or, for a categorical
        feature, when the bit of its code is set in the words of ``sets`` from ``set_offset[i]`` on (bit 0 is unused,
        category c has bit c + 1); missing values go left when ``missing_left[i]``. A child >= 0 is a later node,
        a child < 0 is the terminal ``~child``.
    digits : array
        Decimal digits of each threshold that separate its neighbours in the training data; 0 for categorical nodes.
    owner : array
        Master node to whose split an inner node belongs.
    node_mass, left_mass : arrays of shape (n_nodes, 2)
        Mass of each inner node, and of its left side.
    node_count, left_count : arrays
        Rows of each inner node, and of its left side.
    terminal_cell, terminal_mass, terminal_count : arrays
        The finest cells: inner leaves through which rows enter a master leaf; the master leaf, mass and row count.
        Inner nodes and terminals count the training rows of the inner tree in-sample. With held-out routing the counts
        of the terminals of a cell do not sum to the count of the cell.
    cell_entry : array
        The first inner node of a cell's split; -1 if there is none.
    """

    feature: np.ndarray
    threshold: np.ndarray
    digits: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    set_offset: np.ndarray
    sets: np.ndarray
    owner: np.ndarray
    node_mass: np.ndarray
    left_mass: np.ndarray
    node_count: np.ndarray
    left_count: np.ndarray
    terminal_cell: np.ndarray
    terminal_mass: np.ndarray
    terminal_count: np.ndarray
    cell_entry: np.ndarray
    # Directions and orders that it was grown under, as in `CodedConstraints`; a file has them with the growth.
    monotonic_cst: tuple[int | tuple[int, ...], ...] | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of_core(cls, arrays: Mapping[str, Any], schema: Schema, binned: BinnedTable) -> Self:
        """A tree from the arrays that the core has grown on a binned table."""
        return cls(
            schema=schema,
            has_missing=binned.has_missing,
            held_out=False,
            digits=binned.bins.digits_of(arrays),
            **arrays,
        )

    def _inside(self) -> str:
        return f"{len(self.feature)} inner nodes"

    @cached_property
    def stratum_of_terminal(self) -> np.ndarray:
        """Stratum (0 = best) that each terminal belongs to."""
        return np.searchsorted(self.leaves, self.terminal_cell)

    @property
    def strata_dag(self) -> _core.Dag:
        """The core's object that finds strata; created on first use, never stored."""
        if "strata" not in self._cache:
            self._cache["strata"] = make_dag(self, self.stratum_of_terminal)
        return self._cache["strata"]

    @property
    def terminal_dag(self) -> _core.Dag:
        """The core's object that finds the finest cells."""
        if "terminals" not in self._cache:
            self._cache["terminals"] = make_dag(self, np.arange(len(self.terminal_cell)))
        return self._cache["terminals"]

    def apply(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Stratum (0 = best) of each row of a float64 block, categories coded as in the schema."""
        return self.strata_dag.walk(X, n_threads)

    def terminals(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Terminal (finest cell) of each row."""
        return self.terminal_dag.walk(X, n_threads)
