"""Choice of the resolution of a dyadic grid, by cross-validation.

A fully grown tree ranks its cubes by beta/alpha, whatever its splits are. So a resolution can be evaluated without a
tree: the cubes are sorted on the rows of all folds but one, and rank the rows of that fold.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .. import _core
from .cell import Cell
from .grid import Grid, as_cubes

__all__ = ["choose_resolution", "held_out_auc"]

N_FOLDS = 5
MOST = 10
_DRAWS = 10  # draws of features, if a cell uses only some of them


def choose_resolution(cell: Cell, missing: str) -> int:
    """The resolution whose cubes rank held-out rows best; the coarsest of equally good ones.

    1 if a class has a single row.
    """
    folds = cell.parts(N_FOLDS, _core.child_key(cell.key, 6))
    if folds is None:
        return 1
    most = min(MOST, max(1, int(np.ceil(np.log2(len(cell.rows))))))  # as many intervals as rows
    keys = [cell.key, *(_core.child_key(cell.key, 7 + i) for i in range(_DRAWS - 1))]
    cells = [replace(cell, key=key) for key in keys] if cell.max_features else [cell]
    auc = np.mean([[held_out_auc(each, folds, j, missing) for j in range(1, most + 1)] for each in cells], axis=0)
    return 1 + int(np.argmax(auc))


def held_out_auc(cell: Cell, folds: np.ndarray, resolution: int, missing: str) -> float:
    """Mean over the folds of the AUC of their rows, ranked by beta/alpha of their cubes in the other folds.

    Rows in cubes that the other folds do not occupy come last.
    """
    grid = Grid.of(cell.sample, resolution, missing).of_features(cell.features)
    cubes, place = np.unique(as_cubes(grid.places(cell.X[:, cell.features])), return_inverse=True)
    n_folds = int(folds.max()) + 1
    mass = np.zeros((2, n_folds, len(cubes)))
    np.add.at(mass, (cell.labels, folds, place), cell.masses)
    total = mass.sum(axis=1)
    return float(np.mean([_auc(total - mass[:, fold], mass[:, fold]) for fold in range(n_folds)]))


def _auc(seen: np.ndarray, held_out: np.ndarray) -> float:
    """AUC of held-out masses (negatives, positives) of cubes that are sorted by their seen masses."""
    alpha, beta = seen * seen.sum(axis=1)[::-1, None]  # common denominator: equal odds are exactly equal
    known = alpha + beta > 0
    score = np.where(known, beta / np.where(known, alpha + beta, 1.0), -1.0)
    _, stratum = np.unique(-score, return_inverse=True)
    negatives, positives = (np.bincount(stratum, weights=mass) for mass in held_out)
    above = np.cumsum(positives) - positives / 2.0
    return float(negatives @ above / (negatives.sum() * positives.sum()))
