"""The weights of the members of a consensus: their margins on one scale, and the choice by held-out AUC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..metrics.delong import delong_covariance
from ..metrics.local import local_auc
from ._table_model import Training

__all__ = ["Scale", "best_weights", "judging_blocks"]

# Weights of the booster that are tried; the forest has the rest.
_SHARES = np.linspace(0.0, 1.0, 11)
# The booster ranks better more often than not, so this is its weight unless held-out rows clearly say otherwise.
_USUAL = 0.8
# A difference of held-out AUC says nothing if it is smaller than this, or than this share of its standard error.
_LEAST_GAIN, _ERRORS = 2e-4, 0.5


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
    """The weights nearest to the usual ones among those with about the greatest held-out AUC.

    A member that adds nothing has the weight 0, if there are enough rows to know.

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
    mixed = np.array([((1.0 - share) * standard[0] + share * standard[1])[known] for share in _SHARES])
    parts = _blocks_of_both_classes(labels, np.zeros(len(labels)) if blocks is None else blocks[known])
    found = np.array([_figure(labels, margins, shares, weights, parts) for margins in mixed])
    best, alone = int(np.argmax(found)), -1 if found[-1] >= found[0] else 0
    usual = int(np.argmin(np.abs(_SHARES - _USUAL)))
    reach = _ERRORS * _errors_of_differences(labels, mixed, weights, parts)
    if found[best] - found[alone] < _LEAST_GAIN and reach[alone, usual] < _LEAST_GAIN:
        share = float(_SHARES[alone])
    else:
        close = _SHARES[found >= found[best] - np.maximum(_LEAST_GAIN, reach[best])]
        share = float(close[np.argmin(np.abs(close - _USUAL))])
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


def _blocks_of_both_classes(labels: np.ndarray, blocks: np.ndarray) -> list[np.ndarray]:
    parts = [np.flatnonzero(blocks == block) for block in np.unique(blocks)]
    return [rows for rows in parts if len(np.unique(labels[rows])) == 2]


def _figure(
    labels: np.ndarray, margins: np.ndarray, shares: list[float], weights: np.ndarray | None, parts: list[np.ndarray]
) -> float:
    """Sum of the local AUCs of some shares, averaged over the blocks that have both classes."""
    return float(
        np.mean(
            [
                np.sum(local_auc(labels[k], margins[k], shares, sample_weight=None if weights is None else weights[k]))
                for k in parts
            ]
        )
    )


def _errors_of_differences(
    labels: np.ndarray, mixed: np.ndarray, weights: np.ndarray | None, parts: list[np.ndarray]
) -> np.ndarray:
    """Standard error of the difference of AUC (DeLong) of each two of the margins; 0 where a class has one row."""
    total = np.zeros((len(mixed), len(mixed)))
    for rows in parts:
        w = None if weights is None else weights[rows]
        total += delong_covariance(labels[rows], mixed[:, rows].T, sample_weight=w).covariance
    variances = np.diag(total)[:, None] + np.diag(total)[None, :] - 2.0 * total
    return np.sqrt(np.maximum(np.nan_to_num(variances), 0.0)) / max(len(parts), 1)
