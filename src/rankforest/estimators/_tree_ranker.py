"""Base of the tree and the forest of two classes, whose cells are cut by a splitting rule."""

from __future__ import annotations

from dataclasses import replace

from ..data.binning import USUAL_BINS
from ..data.constraints import CodedConstraints, resolve_constraints
from ..data.table import Table
from ..growing.treerank import Growth
from ..splitting.cell import SplittingRule
from ._ranker import Ranker

__all__ = ["TreeRanker"]


class TreeRanker(Ranker):
    """Base of the estimators of ranking trees; it has no parameters of its own."""

    def _rule(self) -> SplittingRule:
        """The splitting rule."""
        raise NotImplementedError

    def _growth(self, splitter: SplittingRule) -> Growth:
        """The growth of a tree, from the parameters that trees and forests have in common."""
        return Growth(
            splitter=splitter,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
        )

    def _checked(self, table: Table) -> Growth:
        constraints = resolve_constraints(self.monotonic_cst, table.schema) or CodedConstraints()
        growth = replace(
            self._growth(self._rule()),
            monotonic_cst=constraints.monotonic_cst,
            interaction_cst=constraints.interaction_cst,
        )
        growth.check(table.schema)
        self._check_parameters(growth, table)
        return growth

    def _check_parameters(self, growth: Growth, table: Table) -> None:
        """Raise ValueError if another parameter is invalid, before any work starts."""

    def _check_bins_suffice(self) -> None:
        rule = self._rule()
        if rule.uses_values:
            raise TypeError(
                f"The splitter {type(rule).__name__} needs the values of the features, and of a table that is read in "
                "batches only their bins are kept; use a LeafRank, or load the table as a frame."
            )

    @property
    def _most_bins(self) -> int:
        most = self._rule().max_bins
        return USUAL_BINS if most is None else most
