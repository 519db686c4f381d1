"""How far a sample has moved from the one that a model was trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import FloatArray, as_numbers

__all__ = ["population_stability_index", "stability_word"]

FLOOR = 1e-4  # share of an empty group: the logarithm needs one, and this is the one in use


def population_stability_index(expected: ArrayLike, actual: ArrayLike, *, floor: float = FLOOR) -> float:
    """Population stability index of two distributions over the same groups.

    It is the sum over the groups of ``(q - p) * log(q / p)``, with p the share of the group in the first sample and q
    in the second: the symmetric Kullback-Leibler divergence. Below 0.1 is commonly read as stable, above 0.25 as a
    shift.

    Parameters
    ----------
    expected, actual : array-like of shape (k,)
        Shares or masses of the groups, 0 or more, in the training sample and now.
    floor : float
        Smallest share of a group; both distributions are raised to it and sum to one again.

    Examples
    --------
    >>> round(population_stability_index([0.5, 0.5], [60, 40]), 4)
    0.0405
    >>> population_stability_index([1, 2, 3], [10, 20, 30])
    0.0
    """
    p, q = _shares(expected, "expected", floor), _shares(actual, "actual", floor)
    if len(p) != len(q):
        raise ValueError(f"expected has {len(p)} groups and actual has {len(q)}; give both over the same groups.")
    return float(np.sum((q - p) * np.log(q / p)))


def stability_word(index: float) -> str:
    """How an index is commonly read.

    Examples
    --------
    >>> stability_word(0.02), stability_word(0.2), stability_word(0.4)
    ('stable', 'some shift', 'shifted')
    """
    return "stable" if index < 0.1 else "some shift" if index < 0.25 else "shifted"


def _shares(mass: ArrayLike, name: str, floor: float) -> FloatArray:
    values = as_numbers(mass, name, "pass one share per group")
    if not np.isfinite(values).all() or (values < 0).any() or not values.sum() > 0:
        raise ValueError(f"{name} must be finite shares or masses of 0 or more with a positive sum, got {values}.")
    raised = np.maximum(values / values.sum(), floor)
    return raised / raised.sum()
