"""A fitted tree of ordered labels as flat arrays.

It is an ordinary binary tree. Its leaves store the training mass of every label, from which the median label, the mean
label and the shares are computed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..data.schema import Schema
from .walk import make_dag

__all__ = ["OrdinalTree", "median_level"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class OrdinalTree:
    """A fitted tree of ordered labels.

    Nodes are in preorder, so that children come after parents; leaves are numbered from left to right.

    Attributes
    ----------
    schema : Schema
        Names, kinds and categories of the features.
    has_missing : array of bool
        Whether the training sample had missing values of each feature.
    levels : array of shape (k,)
        Where the labels stand on the line, increasing.
    feature, threshold, left, right, missing_left, set_offset, sets : arrays
        The nodes. Node i sends a row left when ``x[feature[i]] <= threshold[i]``, or, for a categorical feature, when
        the bit of its code is set in the words of ``sets`` from ``set_offset[i]`` on (bit 0 is unused, category c has
        bit c + 1); missing values go left when ``missing_left[i]``. A child >= 0 is a later node, a child < 0 is the
        leaf ``~child``.
    digits : array
        Decimal digits of each threshold that separate its neighbours in the training data; 0 for categorical nodes.
    node_gain, node_count : arrays
        Decrease of the impurity by the cut of each node, in units of the whole sample, and rows.
    leaf_mass : array of shape (n_leaves, k)
        Training weight of every label in every leaf.
    leaf_count : array
        Rows.
    """

    schema: Schema
    has_missing: np.ndarray
    levels: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    digits: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    set_offset: np.ndarray
    sets: np.ndarray
    node_gain: np.ndarray
    node_count: np.ndarray
    leaf_mass: np.ndarray
    leaf_count: np.ndarray
    _cache: dict[str, Any] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        return f"OrdinalTree({self.n_leaves} leaves, depth {self.max_depth}, {len(self.levels)} ordered labels)"

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _cache={})

    # ---- the tree

    @property
    def n_nodes(self) -> int:
        """Nodes that are cut; the leaves are one more."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return len(self.leaf_count)

    @cached_property
    def children(self) -> np.ndarray:
        """Left and right child of each node, where leaf l counts as node n_nodes + l."""
        pair = np.column_stack([self.left, self.right])
        return np.where(pair >= 0, pair, self.n_nodes + ~pair)

    @cached_property
    def depth(self) -> np.ndarray:
        """Depth of all nodes and, after them, of the leaves."""
        depth = np.zeros(self.n_nodes + self.n_leaves, dtype=np.int64)
        for node, pair in enumerate(self.children.tolist()):  # parents come before children
            depth[pair] = depth[node] + 1
        return depth

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    def with_sums(self, of_leaves: np.ndarray) -> np.ndarray:
        """Rows for all nodes and, after them, the leaves: the sums of the rows of the leaves below."""
        sums = np.concatenate([np.zeros((self.n_nodes, of_leaves.shape[1])), of_leaves])
        depth = self.depth[: self.n_nodes]
        order = np.argsort(-depth, kind="stable")
        for nodes in np.split(
            order, np.flatnonzero(np.diff(depth[order])) + 1
        ):  # one level after the other, from below
            sums[nodes] = sums[self.children[nodes, 0]] + sums[self.children[nodes, 1]]
        return sums

    @cached_property
    def node_mass(self) -> np.ndarray:
        """Training weight of every label in all nodes and, after them, in the leaves."""
        return self.with_sums(self.leaf_mass)

    # ---- walking

    @property
    def dag(self) -> _core.Dag:
        """The core's object that finds leaves; created on first use, never stored."""
        if "dag" not in self._cache:
            self._cache["dag"] = make_dag(self, np.arange(self.n_leaves))
        return self._cache["dag"]

    def apply(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Leaf of each row of a float64 block, categories coded as in the schema."""
        return self.dag.walk(X, n_threads)

    # ---- values of the leaves

    @cached_property
    def leaf_share(self) -> np.ndarray:
        """Share of every label in every leaf."""
        return self.leaf_mass / self.leaf_mass.sum(axis=1, keepdims=True)

    @cached_property
    def leaf_mean(self) -> np.ndarray:
        """Mean label of every leaf, on the line of the levels."""
        return self.leaf_share @ self.levels

    @cached_property
    def leaf_median(self) -> np.ndarray:
        """Index of the median label of every leaf: the one with the least expected distance to the label of a row."""
        return median_level(self.leaf_mass)


def median_level(mass: np.ndarray) -> np.ndarray:
    """Index of the weighted median in every row: the first level that at least half of the mass does not exceed.

    It minimises the expected absolute loss, whatever the spacing of the levels; where two do, it is the lower one.

    Examples
    --------
    >>> median_level(np.array([[1.0, 1.0, 3.0], [2.0, 1.0, 1.0]]))
    array([2, 0])
    """
    below = np.cumsum(mass, axis=1)
    return np.argmax(2.0 * below >= below[:, -1:] * (1.0 - 1e-12), axis=1)
