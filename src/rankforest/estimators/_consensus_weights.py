"""The weights of the members of a consensus: their margins on one scale, and the choice by held-out AUC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..metrics.local import local_auc
from ._table_model import Training

__all__ = ["Scale", "best_weights", "judging_blocks"]

# Weights of the booster that are tried; the forest has the rest.
_SHARES = np.linspace(0.0, 1.0, 11)
# A weight must raise the held-out AUC by this much, or the other member is dropped.
_LEAST_GAIN = 2e-4
# Among weights whose held-out AUC is this close to the best, those nearest to equal ones are taken.
_CLOSE = 2e-4


@dataclass(frozen=True)
class Scale:
    """Centre and spread of the margins of a member on held-out rows, to standardise them."""

    centre: float
    spread: float

    @staticmethod
    def of(margins: np.ndarray) -> Scale:
        spread = float(margins.std())
        return Scale(float(margins.mean()), spread if spread > 0.0 else 1.0)

    def __call__(self, margins: np.ndarray) -> np.ndarray:
        return (margins - self.centre) / self.spread


def best_weights(
    standard: list[np.ndarray],
    labels: np.ndarray,
    weights: np.ndarray | None,
    shares: list[float],
    blocks: np.ndarray | None = None,
) -> np.ndarray:
    """The most equal weights among those with about the greatest held-out AUC; 0 for a member that adds nothing.

    Parameters
    ----------
    standard : list of two arrays
        Standardised held-out margins of the forest and of the booster; NaN where a row has none.
    labels, weights : arrays of shape (n,), or None
    shares : list of float
        Best shares of the list whose local AUCs count; 1 is the whole list.
    blocks : array of int or None
        The fold that each row judges, if folds go forward in time: figures are means over the blocks.

    Examples
    --------
    >>> labels, good, noise = np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 2.0, 3.0]), np.zeros(4)
    >>> best_weights([noise, good], labels, None, [1.0])
    array([0., 1.])
    """
    known = ~np.isnan(standard[0]) & ~np.isnan(standard[1])
    labels = labels[known]
    weights = None if weights is None else weights[known]
    if len(np.unique(labels)) < 2:
        return np.array([0.5, 0.5])
    mixed = [((1.0 - share) * standard[0] + share * standard[1])[known] for share in _SHARES]
    of = np.zeros(len(labels)) if blocks is None else blocks[known]
    found = np.array([_figure(labels, margins, shares, weights, of) for margins in mixed])
    alone = 0.0 if found[0] > found[-1] else 1.0
    if found.max() - max(found[0], found[-1]) < _LEAST_GAIN:
        return np.array([1.0 - alone, alone])
    close = _SHARES[found >= found.max() - _CLOSE]
    share = float(close[np.argmin(np.abs(close - 0.5))])
    return np.array([1.0 - share, share])


def judging_blocks(members: Sequence[Any], training: Training) -> np.ndarray | None:
    """The fold that each row judges, if folds go forward in time: a block for every pair of folds of the members."""
    found = [member._blocks for member in members if getattr(member, "_blocks", None) is not None]
    if not found:
        return None
    of = np.stack([blocks if training.kept is None else blocks[training.kept] for blocks in found])
    each = np.unique(of, axis=1, return_inverse=True)[1].reshape(-1)
    each = np.where((of < 0).any(axis=0), -1, each)
    return np.unique(each, return_inverse=True)[1] - int((each < 0).any())


def _figure(
    labels: np.ndarray, margins: np.ndarray, shares: list[float], weights: np.ndarray | None, blocks: np.ndarray
) -> float:
    """Sum of the local AUCs of some shares, averaged over the blocks that have both classes."""
    parts = [blocks == block for block in np.unique(blocks)]
    return float(
        np.mean(
            [
                np.sum(local_auc(labels[k], margins[k], shares, sample_weight=None if weights is None else weights[k]))
                for k in parts
                if len(np.unique(labels[k])) == 2
            ]
        )
    )
