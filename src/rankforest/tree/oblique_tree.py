"""A ranking tree that also cuts on weighted sums of features, such as `income - 2 x debt > 100`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from ..data.schema import Schema
from ..data.sums import WeightedSum, widened, widened_schema
from .master_tree import MasterTree
from .ranking_tree import RankingTree

__all__ = ["ObliqueTree", "oblique"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class ObliqueTree(MasterTree):
    """A fitted ranking tree whose cuts are axis-parallel, or on weighted sums of features.

    Attributes
    ----------
    sums : tuple of WeightedSum
    wide : RankingTree
        The same tree, of rows that have the sums as further features.
    """

    sums: tuple[WeightedSum, ...]
    wide: RankingTree

    @classmethod
    def of(cls, wide: RankingTree, sums: Sequence[WeightedSum], schema: Schema) -> ObliqueTree:
        """The tree of the rows without their sums."""
        cells = {field.name: getattr(wide, field.name) for field in fields(MasterTree) if field.init}
        cells |= {"schema": schema, "has_missing": wide.has_missing[: schema.n_features]}
        return cls(sums=tuple(sums), wide=wide, **cells)

    def of_wide(self, wide: RankingTree) -> ObliqueTree:
        """Another tree with the same sums, such as a subtree."""
        return ObliqueTree.of(wide, self.sums, self.schema)

    def widened(self, X: np.ndarray) -> np.ndarray:
        """Rows, or one row, with the sums as further features."""
        return widened(X, self.sums) if X.ndim == 2 else widened(X[None, :], self.sums)[0]

    def parts_of(self, feature: int) -> tuple[int, ...]:
        """The features that a feature of the wide tree is made of."""
        added = feature - self.schema.n_features
        return (feature,) if added < 0 else tuple(part for part, _ in self.sums[added].terms)

    @property
    def is_used(self) -> np.ndarray:
        """Whether each feature of the schema is in a cut, alone or in a sum."""
        used = np.zeros(self.schema.n_features, dtype=bool)
        for feature in np.unique(self.wide.feature).tolist():
            used[list(self.parts_of(feature))] = True
        return used

    def apply(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Stratum (0 = best) of each row of a float64 block, categories coded as in the schema."""
        return self.wide.apply(self.widened(X), n_threads)

    def _inside(self) -> str:
        n_sums = len(self.sums)
        return f"{len(self.wide.feature)} inner nodes, {n_sums} sum{'s' if n_sums > 1 else ''}"


def oblique(wide: RankingTree, sums: Sequence[WeightedSum], schema: Schema) -> RankingTree | ObliqueTree:
    """The tree of a schema from one of rows with sums; an axis-parallel tree if it cuts on none of the sums.

    Parameters
    ----------
    wide : RankingTree
        Its features are those of the schema, and then the sums.
    sums : sequence of WeightedSum
    schema : Schema
    """
    q = schema.n_features
    kept = [k for k in range(len(sums)) if (wide.feature == q + k).any()]
    place = np.append(np.arange(q), np.full(len(sums), -1))
    place[[q + k for k in kept]] = q + np.arange(len(kept))
    used = [*range(q), *(q + k for k in kept)]
    smaller = replace(
        wide,
        schema=widened_schema(schema, [sums[k] for k in kept]) if kept else schema,
        has_missing=wide.has_missing[used],
        feature=place[wide.feature].astype(np.int32),
    )
    return ObliqueTree.of(smaller, [sums[k] for k in kept], schema) if kept else smaller
