"""How far a sample has moved from the one that a model was trained on."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray, as_numbers

__all__ = ["chance_level", "population_stability_index", "stability_word"]

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


def chance_level(n_groups: int, n_expected: float, n_actual: float, *, level: float = 0.95) -> float:
    """What the index stays below by chance, where nothing has moved.

    Two samples of n and m rows of one law have an index of about (1/n + 1/m) times a chi-squared variable with one
    degree of freedom less than there are groups. Small samples look as if they had moved without it.

    Parameters
    ----------
    n_groups : int
        Groups that are not empty.
    n_expected, n_actual : float
        Rows of both samples.
    level : float
        Share of the samples that stay below.

    Examples
    --------
    >>> round(chance_level(10, 300, 200), 2), round(chance_level(10, 30_000, 20_000), 4)
    (0.14, 0.0014)
    """
    from scipy.stats import chi2

    return float(chi2.ppf(level, max(1, n_groups - 1)) * (1.0 / n_expected + 1.0 / n_actual))


def stability_word(index: float, by_chance: float = 0.0) -> str:
    """How an index is commonly read; what may be chance is no shift.

    Examples
    --------
    >>> stability_word(0.02), stability_word(0.2), stability_word(0.4), stability_word(0.2, by_chance=0.3)
    ('stable', 'some shift', 'shifted', 'stable')
    """
    return "stable" if index < max(0.1, by_chance) else "some shift" if index < 0.25 else "shifted"


def _shares(mass: ArrayLike, name: str, floor: float) -> FloatArray:
    values = as_numbers(mass, name, "pass one share per group")
    if not np.isfinite(values).all() or (values < 0).any() or not values.sum() > 0:
        raise ValueError(f"{name} must be finite shares or masses of 0 or more with a positive sum, got {values}.")
    raised = np.maximum(values / values.sum(), floor)
    return raised / raised.sum()
