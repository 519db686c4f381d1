"""The division of a cell by a small axis-parallel tree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..tree.conditions import in_words
from ..tree.ranking_tree import RankingTree
from ..tree.rules import side_rule

__all__ = ["AxisParallel"]


@dataclass(frozen=True)
class AxisParallel:
    """A ranking tree with a single split, whose left child is the left side."""

    tree: RankingTree

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        return self.tree.apply(X) == 0

    def words(self, better: bool) -> str:
        return in_words(side_rule(self.tree, 0, better=better), max_alternatives=3)

    @property
    def features(self) -> tuple[int, ...]:
        """The features that are cut."""
        return tuple(np.unique(self.tree.feature).tolist())
