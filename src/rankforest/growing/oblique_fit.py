"""A plain tree on rows that have sums of features as further columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.binning import USUAL_BINS
from ..data.sample import Sample
from ..data.schema import Schema
from ..data.sums import WeightedSum, WideRows
from ..tree.master_tree import MasterTree
from ..tree.oblique_tree import oblique
from ..tree.pruning import PruningPath
from ..tree.ranking_tree import RankingTree
from .find_sums import SumSearch
from .right_size import CrossValidated
from .soft_labels import LEAST_RATE, expected_rates
from .treerank import Growth

__all__ = ["ObliqueFit"]


@dataclass(frozen=True)
class ObliqueFit:
    """A sample with sums that were found on all its rows.

    Attributes
    ----------
    sample : Sample
        With the sums as further features.
    sums : tuple of WeightedSum
    schema : Schema
        Without the sums.
    """

    sample: Sample
    sums: tuple[WeightedSum, ...]
    schema: Schema

    @classmethod
    def of(cls, sample: Sample, growth: Growth, seed: int, n_threads: int) -> ObliqueFit:
        """Search the sums of a sample that is in this process."""
        schema = sample.table.schema
        rows = WideRows.of(sample, growth.splitter.max_bins or USUAL_BINS)
        rate = np.clip(expected_rates(sample, seed, n_threads), LEAST_RATE, 1.0 - LEAST_RATE)
        search = SumSearch(least_rows=max(SumSearch.least_rows, growth.min_samples_leaf))
        sums = search.find(rows.X, rate, sample.weights, schema, seed=seed)
        return cls(rows.with_sums(sums, n_threads), sums, schema)

    def finished(self, tree: MasterTree, grown: MasterTree, pruning: Any) -> tuple[MasterTree, MasterTree, Any]:
        """The chosen tree, the grown one and how it was pruned, of rows without the sums."""
        whole = self._of(grown)
        if isinstance(pruning, CrossValidated):
            pruning = replace(pruning, path=PruningPath(whole, pruning.path.collapse_at))
        return whole if tree is grown else self._of(tree), whole, pruning

    def _of(self, wide: MasterTree) -> MasterTree:
        assert isinstance(wide, RankingTree)
        return oblique(wide, self.sums, self.schema)
