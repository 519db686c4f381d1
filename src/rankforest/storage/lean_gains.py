"""Twice the gain in AUC of every split, from the masses of the cells."""

from __future__ import annotations

import numpy as np

from ..data.parts import check_bounds
from .checks import owners_of

__all__ = ["NEEDS", "grow", "shrink"]

Arrays = dict[str, np.ndarray]
NEEDS = frozenset({"cell_gain", "cell_mass", "cell_left", "cell_bounds"})


def shrink(arrays: Arrays) -> Arrays:
    """Nothing instead of `cell_gain`."""
    return {name: array for name, array in arrays.items() if name != "cell_gain"}


def grow(arrays: Arrays) -> Arrays:
    """The gains again: the difference of the shares of the left cell, times the shares of the cell in the tree."""
    mass, bounds = arrays["cell_mass"], arrays["cell_bounds"]
    check_bounds(bounds, len(mass), "cell_bounds", least=1)
    root = bounds[:-1][owners_of(bounds)]
    split = np.flatnonzero(arrays["cell_left"] >= 0)
    here, best = mass[split], mass[arrays["cell_left"][split] + root[split]]
    gain = np.zeros(len(mass))
    with np.errstate(all="ignore"):
        difference = (best[:, 1] * here[:, 0] - best[:, 0] * here[:, 1]) / (here[:, 0] * here[:, 1])
        share = here / mass[root[split]]
        gain[split] = difference * share[:, 0] * share[:, 1]
    return arrays | {"cell_gain": gain}
