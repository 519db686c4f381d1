"""Drift of a file since training, counted while the file is read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.row_prints import PrintsOfRows
from ..metrics.drift import Drift, DriftMeter
from ..tree.strata import strata_table
from ._known_rows import KnownRows, known_rows
from ._model import Loaded
from ._scoring import Scored

__all__ = ["FileDrift"]


class FileDrift:
    """The drift of a file, in plain values.

    Parameters
    ----------
    loaded : Loaded
    """

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._summary: Any = loaded.model.summary_
        self._meter = None if self._summary is None else DriftMeter(self._summary, loaded.schema)
        self._prints = PrintsOfRows() if "rows" in loaded.notes else None

    def see(self, features: pa.Table) -> None:
        """Count a batch."""
        if self._meter is not None:
            self._meter.see(features)
        if self._prints is not None:
            self._prints.see(features)

    def known_rows(self, scored: Scored) -> KnownRows | None:
        """The rows of the file that were in the fit, if there are more of them than chance explains."""
        if self._prints is None or scored.labels is None:
            return None
        return known_rows(self._loaded, self._prints.of(scored.labels))

    def has_training_rows(self, scored: Scored) -> bool:
        """Whether the file has the rows of the fit, in any order: as many in every group of every feature and label."""
        if self._meter is None or not self._meter.same_as_training():
            return False
        classes = self._loaded.model.classes_
        if scored.labels is None:
            return True
        return [int((scored.labels == label).sum()) for label in classes] == list(self._summary.class_counts)

    def found(self, scored: Scored) -> dict[str, Any] | None:
        """The stability index of the strata, or of the scores, and of every feature; None without a summary."""
        if self._meter is None:
            return None
        of, overall = self._overall(self._meter, scored)
        features = [{"name": name, **_plain(drift)} for name, drift in self._meter.features().items()]
        return {"of": of, **_plain(overall), "features": features}

    def _overall(self, meter: DriftMeter, scored: Scored) -> tuple[str | None, Drift | None]:
        one = self._loaded.model.one_tree()
        if scored.cells is not None and one is not None:
            shares = strata_table(one.tree).rows
            return "strata", meter.of_groups(shares, np.bincount(scored.cells, minlength=len(shares)))
        drift = meter.scores(scored.scores)
        return None if drift is None else "scores", drift


def _plain(drift: Drift | None) -> dict[str, Any]:
    if drift is None:
        return {"index": None, "by_chance": None, "reading": None}
    return {**asdict(drift), "reading": drift.reading}
