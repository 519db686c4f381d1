"""Folds with equal shares of all classes."""

from __future__ import annotations

import numpy as np

__all__ = ["ordered_folds", "stratified_folds"]


def stratified_folds(labels: np.ndarray, n_folds: int, seed: int) -> np.ndarray:
    """Fold of each row: every fold gets an equal share of both classes, shuffled by the seed."""
    rng = np.random.default_rng(seed)
    fold = np.empty(len(labels), dtype=np.int64)
    for k in (0, 1):
        rows = np.flatnonzero(labels == k)
        if len(rows) < n_folds:
            raise ValueError(
                f"{n_folds} folds need at least {n_folds} rows of each class, and one class has {len(rows)}; "
                "set n_folds lower, or pruning to None."
            )
        fold[rng.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold


def ordered_folds(labels: np.ndarray, n_folds: int, seed: int) -> np.ndarray:
    """Fold of each row: the rows, sorted by their labels, go to the folds in turn; ties are shuffled by the seed.

    Every fold gets an equal share of every label, up to one row; a label may have fewer rows than there are folds.
    """
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(labels))
    order = shuffled[np.argsort(labels[shuffled], kind="stable")]
    fold = np.empty(len(labels), dtype=np.int64)
    fold[order] = np.arange(len(labels)) % n_folds
    return fold
