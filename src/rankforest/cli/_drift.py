"""How far a file is from the training sample, counted while it streams by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.table import read_table
from ..metrics.drift import chance_level, population_stability_index, stability_word
from ..tree.strata import strata_table
from ._bands import bands_of
from ._model import Loaded
from ._scoring import Scored

__all__ = ["DriftMeter"]


class DriftMeter:
    """Counts the groups that the features of a file fall into, as the model's training summary has them.

    A category that was not there in training counts as missing, as it does for the model.

    Parameters
    ----------
    loaded : Loaded
    """

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._summary: Any = loaded.model.summary_
        if self._summary is not None:
            self._counts = [np.zeros(len(feature.shares) + 1) for feature in self._summary.features]

    def see(self, features: pa.Table) -> None:
        """Take note of a batch."""
        if self._summary is None:
            return
        table = read_table(features, schema=self._loaded.schema)
        for j, (feature, counts) in enumerate(zip(self._summary.features, self._counts)):
            values = table.column(j)
            known = values[~np.isnan(values)]
            if feature.edges is None:
                group = known.astype(np.intp)
            else:
                group = np.searchsorted(np.asarray(feature.edges), known, side="left")
            counts[:-1] += np.bincount(group, minlength=len(counts) - 1)
            counts[-1] += len(values) - len(known)

    def found(self, scored: Scored) -> dict[str, Any] | None:
        """The stability index of the strata, or of the scores, and of every feature; None where nothing is known."""
        if self._summary is None:
            return None
        features = []
        for name, feature, counts in zip(self._loaded.schema.names, self._summary.features, self._counts):
            features.append({"name": name, **self._compared([*feature.shares, feature.missing], counts)})
        overall = self._overall(scored) or {"of": None, "index": None, "by_chance": None, "reading": None}
        return {**overall, "features": features}

    def _compared(self, expected: Sequence[float] | np.ndarray, counts: np.ndarray) -> dict[str, Any]:
        index = population_stability_index(expected, counts)
        groups = int(np.count_nonzero((np.asarray(expected) > 0) | (counts > 0)))
        by_chance = chance_level(groups, self._summary.n_rows, float(counts.sum()))
        return {"index": index, "by_chance": by_chance, "reading": stability_word(index, by_chance)}

    def _overall(self, scored: Scored) -> dict[str, Any] | None:
        one = self._loaded.model.one_tree()
        if scored.cells is not None and one is not None:
            shares = strata_table(one.tree).rows
            counts = np.bincount(scored.cells, minlength=len(shares))
            return {"of": "strata", **self._compared(shares, counts)}
        band = bands_of(self._loaded)
        if band is None:
            return None
        shares = self._summary.scores.shares[::-1]  # bands count from the best one
        counts = np.bincount(band(scored.scores), minlength=len(shares))
        return {"of": "scores", **self._compared(shares, counts)}
