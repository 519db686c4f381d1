"""How far a file is from the training sample, counted while it streams by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from ..data.table import read_table
from ..metrics.drift import population_stability_index, stability_word
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
        self._summary: Any = getattr(loaded.model, "summary_", None)
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
            index = population_stability_index([*feature.shares, feature.missing], counts)
            features.append({"name": name, "index": index, "reading": stability_word(index)})
        of, overall = self._overall(scored) or (None, None)
        return {
            "of": of,
            "index": overall,
            "reading": None if overall is None else stability_word(overall),
            "features": features,
        }

    def _overall(self, scored: Scored) -> tuple[str, float] | None:
        model = self._loaded.model
        if scored.cells is not None and hasattr(model, "strata"):
            shares = model.strata().rows
            counts = np.bincount(scored.cells, minlength=len(shares))
            return "strata", population_stability_index(shares, counts)
        band = bands_of(self._loaded)
        if band is None:
            return None
        shares = self._summary.scores.shares[::-1]  # bands count from the best one
        return "scores", population_stability_index(shares, np.bincount(band(scored.scores), minlength=len(shares)))
