"""Soft labels of rows that have sums of features as further columns."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..data.binning import USUAL_BINS
from ..data.sample import Sample
from ..data.sums import WeightedSum, WideRows
from .find_sums import SumSearch
from .soft_labels import SoftLabels, expected_rates

__all__ = ["SumsOfRows"]


@dataclass(frozen=True)
class SumsOfRows:
    """Rows whose sums are searched, with and without a fold."""

    rows: WideRows
    search: SumSearch
    n_threads: int = 1

    @classmethod
    def near(cls, sample: Sample, near: Sample, positions: np.ndarray, least_rows: int, n_threads: int) -> SumsOfRows:
        """Of some rows of a sample: their codes are known, and their values are read."""
        values = sample.values_of(positions).X
        return cls(
            WideRows(near, values, USUAL_BINS), SumSearch(least_rows=max(SumSearch.least_rows, least_rows)), n_threads
        )

    def labels(self, soft: SoftLabels, fold: int | None, seed: int) -> tuple[SoftLabels, tuple[WeightedSum, ...]]:
        """The soft labels of rows with sums, and these sums, both found without a fold.

        The soft labels that are given tell which sums there are; with the sums a forest expects better rates.
        """
        rate, kept = soft.expected(fold)
        weights = None if soft.sample.weights is None else soft.sample.weights[kept]
        sums = self.search.find(self.rows.X[kept], rate, weights, soft.sample.table.schema, seed=seed)
        if not sums:
            return soft, sums
        wide = self.rows.with_sums(sums, self.n_threads)
        again = expected_rates(wide if fold is None else wide.take(kept), seed, self.n_threads)
        if fold is None:
            return replace(soft, sample=wide, rate=again), sums
        without = soft.without.copy()
        without[fold, kept] = again
        return replace(soft, sample=wide, without=without), sums
