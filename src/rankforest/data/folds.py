"""Folds with equal shares of all classes, and which rows each of them trains on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Folds", "ordered_folds", "stratified_folds"]


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each row.

    Attributes
    ----------
    of : array of int
        Fold in which a row is held out, from 0 on; -1 if it never is.
    n_folds : int
    forward : bool
        Whether the model of a fold learns from the folds before it only, as in time; otherwise from all other folds.

    Examples
    --------
    >>> folds = Folds(np.array([-1, 0, 1]), 2, forward=True)
    >>> folds.seen(0), folds.held_out(0), folds.masks()
    (array([0]), array([1]), array([[0, 1, 2],
           [0, 0, 1]], dtype=uint8))
    """

    of: np.ndarray
    n_folds: int
    forward: bool = False

    def held_out(self, fold: int) -> np.ndarray:
        """Positions of the rows that judge the model of a fold."""
        return np.flatnonzero(self.of == fold)

    def seen(self, fold: int) -> np.ndarray:
        """Positions of the rows that the model of a fold learns from."""
        return np.flatnonzero(self.of < fold if self.forward else self.of != fold)

    def masks(self) -> np.ndarray:
        """A row of bytes per fold: 0 for the rows that its model learns from, 1 for those that judge it, 2 for later
        ones, which do neither.
        """
        found = np.array([self.of == fold for fold in range(self.n_folds)], dtype=np.uint8)
        if self.forward:
            for fold in range(self.n_folds):
                found[fold, self.of > fold] = 2
        return found


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
