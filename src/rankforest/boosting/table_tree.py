"""A table of categories as a tree, so that it is scored, stored and exported like any other tree of boosting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.constraints import CodedConstraints
from ..data.sample import Sample
from ..tree.walk import category_codes
from .category_tables import CategoryTable, Features, RowResiduals, Scale, candidate_tables, fit_tables

__all__ = ["flat_trees", "has_tables", "trees_of_tables"]

# Arrays of the inner nodes of many trees, as `BoostedTrees` has them.
_NODES: dict[str, type[np.generic]] = {
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "missing_left": np.uint8,
    "set_offset": np.int32,
    "gain": np.float64,
}


class _Tree:
    """A tree of categorical splits under construction; a child below 0 is the leaf ~child."""

    def __init__(self) -> None:
        self.nodes: dict[str, list[Any]] = {name: [] for name in _NODES}
        self.sets: list[int] = []
        self.values: list[float] = []

    def leaf(self, value: float) -> int:
        self.values.append(value)
        return ~(len(self.values) - 1)

    def node(self, feature: int, left_codes: np.ndarray, n_codes: int, gain: float) -> int:
        """A split; its children are set later."""
        words = np.zeros((n_codes + 63) // 64, dtype=np.uint64)
        np.bitwise_or.at(words, left_codes // 64, np.uint64(1) << (left_codes % 64).astype(np.uint64))
        split = (feature, 0.0, 0, 0, 0 in left_codes, len(self.sets), gain)
        for values, value in zip(self.nodes.values(), split):
            values.append(value)
        self.sets += words.tolist()
        return len(self.nodes["feature"]) - 1

    def grow(self, table: CategoryTable) -> None:
        shares = [table.gain / len(table.features)] * len(table.features)  # features share the gain equally
        effects = table.effects if table.effects.ndim == 2 else table.effects[:, None]
        columns = [np.array([code]) for code in range(effects.shape[1])]
        self._columns(table.features, effects, columns, shares)

    def _columns(
        self, features: tuple[int, ...], effects: np.ndarray, columns: list[np.ndarray], shares: list[float]
    ) -> int:
        """A subtree for some codes of the second feature: halves, down to a single code."""
        if len(columns) == 1:
            column = effects[:, columns[0][0]]
            groups = [np.flatnonzero(column == value) for value in np.unique(column)]
            return self._groups(features[0], column, groups, [shares.pop(0) if shares else 0.0])
        middle = len(columns) // 2
        node = self.node(
            features[1], np.concatenate(columns[:middle]), effects.shape[1], shares.pop() if len(shares) == 2 else 0.0
        )
        self.nodes["left"][node] = self._columns(features, effects, columns[:middle], shares)
        self.nodes["right"][node] = self._columns(features, effects, columns[middle:], shares)
        return node

    def _groups(self, feature: int, column: np.ndarray, groups: list[np.ndarray], share: list[float]) -> int:
        """A subtree for some groups of codes of the first feature, each with one effect."""
        if len(groups) == 1:
            return self.leaf(float(column[groups[0][0]]))
        middle = len(groups) // 2
        node = self.node(feature, np.concatenate(groups[:middle]), len(column), share.pop() if share else 0.0)
        self.nodes["left"][node] = self._groups(feature, column, groups[:middle], share)
        self.nodes["right"][node] = self._groups(feature, column, groups[middle:], share)
        return node


def flat_trees(tables: Sequence[CategoryTable | None]) -> dict[str, np.ndarray]:
    """One tree per table in the arrays of `BoostedTrees`; None is a tree without nodes, whose only leaf is 0."""
    nodes: dict[str, list[Any]] = {name: [] for name in _NODES}
    sets: list[int] = []
    values: list[float] = []
    bounds: dict[str, list[int]] = {"node_bounds": [0], "leaf_bounds": [0], "set_bounds": [0]}
    for table in tables:
        tree = _Tree()
        if table is None:
            tree.leaf(0.0)
        else:
            tree.grow(table)
        for name, array in tree.nodes.items():
            nodes[name] += array
        sets += tree.sets
        values += tree.values
        for bound, length in zip(bounds.values(), (len(nodes["feature"]), len(values), len(sets))):
            bound.append(length)
    return {
        **{name: np.array(array, dtype=_NODES[name]) for name, array in nodes.items()},
        "sets": np.array(sets, dtype=np.uint64),
        "value": np.array(values, dtype=np.float64),
        **{name: np.array(bound, dtype=np.int64) for name, bound in bounds.items()},
    }


def has_tables(sample: Sample, constraints: CodedConstraints | None, *, of_one_feature: bool = False) -> bool:
    """Whether a sample has categories with enough values for a table: of one feature, or also of two."""
    tables = _candidates(sample, constraints)
    return any(len(table) == 1 for table in tables) if of_one_feature else bool(tables)


def _candidates(sample: Sample, constraints: CodedConstraints | None) -> list[Features]:
    """The tables to try. A table has an effect of each category, so a feature with an order is in none."""
    found = candidate_tables(category_codes(sample.table.schema), sample.n_rows)
    if constraints is None:
        return found
    free = [table for table in found if not any(constraints.has_direction(feature) for feature in table)]
    return [table for table in free if constraints.may_meet(table)]


def trees_of_tables(
    sample: Sample, held_out: np.ndarray, constraints: CodedConstraints | None = None
) -> dict[str, np.ndarray]:
    """Tables of categories for each booster, fitted on the rows that it does not hold out, by round and by booster."""
    n_codes = category_codes(sample.table.schema)
    candidates = _candidates(sample, constraints)
    found: list[list[CategoryTable | None]] = []
    for out in held_out:
        rows = np.flatnonzero(out == 0)
        labels, weights = sample.labels[rows], None if sample.weights is None else sample.weights[rows]
        scale = Scale.of(labels, weights)
        residuals = sample.states_of(RowResiduals, rows, scale, n_codes)
        found.append([*fit_tables(residuals, candidates, n_codes)])
    n_rounds = max(map(len, found))
    for tables in found:
        tables += [None] * (n_rounds - len(tables))
    return flat_trees([tables[r] for r in range(n_rounds) for tables in found])
