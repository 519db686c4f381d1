"""Tenths of the training scores, which stand for cells where a model has many trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ._model import Loaded

__all__ = ["bands_of"]


def bands_of(loaded: Loaded) -> Callable[[np.ndarray], np.ndarray] | None:
    """From scores to bands, 0 = best; None where the model does not know how fresh rows score."""
    summary = loaded.model.summary_
    if summary is None or summary.scores is None:
        return None
    edges = np.asarray(summary.scores.edges, dtype=np.float64)

    def band(scores: np.ndarray) -> np.ndarray:
        return (len(edges) - np.searchsorted(edges, scores, side="left")).astype(np.int32)

    return band
