"""The sample of a job: built where the job runs, from rows that were brought there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.binning import BinnedTable, Bins
from ..data.coded_table import coded_table
from ..data.ordered_sample import OrderedSample
from ..data.sample import Sample
from ..data.schema import Schema
from .rows import PartRows
from .selection import Selection

__all__ = ["SampleSpec"]


@dataclass(frozen=True)
class SampleSpec:
    """What a job must know of a sample besides its rows.

    Attributes
    ----------
    schema, bins
    levels : array or None
        Positions of ordered labels on the line; None for two classes.
    selection : Selection or None
        The rows of the whole table that are in the sample; None is all.
    labels, weights : arrays or None
        Those of the sample, if they are not those of its rows.
    """

    schema: Schema
    bins: Bins
    levels: np.ndarray | None
    selection: Selection | None
    labels: np.ndarray | None
    weights: np.ndarray | None

    @classmethod
    def of(cls, sample: Any) -> SampleSpec:
        """Of a `SpreadSample`."""
        binned = sample.binned
        levels, spread = getattr(sample, "levels", None), binned.spread
        return cls(spread.schema, spread.bins, levels, binned.selection, binned.labels, binned.weights)

    def pick(self, rows: PartRows) -> PartRows:
        """The rows of a partition that are in the sample."""
        if self.selection is None:
            return rows
        return rows.take(self.selection.part(rows.first, rows.n_rows).positions())

    def of_all(self, rows: PartRows) -> Sample:
        """The sample, given all rows of the whole table."""
        return self.of_picked(self.pick(rows))

    def of_picked(self, rows: PartRows) -> Sample:
        """The sample, given its rows."""
        labels, weights = (rows.labels, rows.weights) if self.labels is None else (self.labels, self.weights)
        binned = BinnedTable(rows.codes, self.bins)
        table = coded_table(binned, self.schema)
        if self.levels is None:
            return Sample(table, binned, labels, weights)
        return OrderedSample(table, binned, labels, weights, self.levels)
