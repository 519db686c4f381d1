"""Drift of a sample since the training of a model: the population stability index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray, as_numbers
from rankforest.data.schema import Schema
from rankforest.data.summary import TrainingSummary
from rankforest.data.table import read_table

__all__ = ["Drift", "DriftMeter", "chance_level", "population_stability_index", "stability_word"]

_ENOUGH_GROUPS = 5  # of all features together, to say that a file has the training rows

FLOOR = 1e-4  # share of an empty group, because the logarithm of 0 is not finite; the usual value


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
    """Quantile of the index for two samples of the same distribution.

    The index of two samples of n and m rows of one distribution is about (1/n + 1/m) times a chi-squared variable with
    one degree of freedom less than there are groups. So small samples have a large index even without drift.

    Parameters
    ----------
    n_groups : int
        Groups that are not empty.
    n_expected, n_actual : float
        Rows of both samples.
    level : float
        Share of the samples with a smaller index.

    Examples
    --------
    >>> round(chance_level(10, 300, 200), 2), round(chance_level(10, 30_000, 20_000), 4)
    (0.14, 0.0014)
    """
    from scipy.stats import chi2

    return float(chi2.ppf(level, max(1, n_groups - 1)) * (1.0 / n_expected + 1.0 / n_actual))


def stability_word(index: float, by_chance: float = 0.0) -> str:
    """The usual interpretation of an index; an index that may be due to chance is "stable".

    Examples
    --------
    >>> stability_word(0.02), stability_word(0.2), stability_word(0.4), stability_word(0.2, by_chance=0.3)
    ('stable', 'some shift', 'shifted', 'stable')
    """
    return "stable" if index < max(0.1, by_chance) else "some shift" if index < 0.25 else "shifted"


@dataclass(frozen=True)
class Drift:
    """Drift of one distribution.

    Attributes
    ----------
    index : float
        The population stability index.
    by_chance : float
        95% quantile of the index for samples of this size without drift.
    """

    index: float
    by_chance: float

    @classmethod
    def between(cls, expected: ArrayLike, actual: ArrayLike, n_expected: float) -> Drift:
        """The drift from shares of `n_expected` rows to counts over the same groups.

        Examples
        --------
        >>> print(Drift.between([0.5, 0.5], [60, 40], 1000))
        0.0405, by chance up to 0.0423: stable
        """
        counts = np.asarray(actual, dtype=np.float64)
        groups = int(np.count_nonzero((np.asarray(expected) > 0) | (counts > 0)))
        index = population_stability_index(expected, counts)
        return cls(index, chance_level(groups, n_expected, float(counts.sum())))

    @property
    def reading(self) -> str:
        """The index in words; an index that may be due to chance is "stable"."""
        return stability_word(self.index, self.by_chance)

    def __str__(self) -> str:
        return f"{self.index:.4f}, by chance up to {self.by_chance:.4f}: {self.reading}"


class DriftMeter:
    """Counts the groups that features and scores of new rows fall into, batch by batch.

    The groups are those of the model's training summary. A category that did not occur in training counts as missing,
    as it does in the model.

    Parameters
    ----------
    summary : TrainingSummary
        Summary of the training rows, ``summary_`` of the model.
    schema : Schema
        Of the training table, ``schema_``.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> old, new = (simulate.rf20(1000, random_state=seed) for seed in (0, 1))
    >>> model = TreeRank(max_depth=2).fit(old.X, old.y)
    >>> meter = DriftMeter(model.summary_, model.schema_)
    >>> new.X[:, 3] += 1.0
    >>> meter.see(new.X)
    >>> [name for name, drift in meter.features().items() if drift.reading == "shifted"]
    ['x3']
    """

    def __init__(self, summary: TrainingSummary, schema: Schema) -> None:
        self._summary, self._schema = summary, schema
        self._counts = [np.zeros(len(feature.shares) + 1) for feature in summary.features]

    def see(self, X: Any) -> None:
        """Count the rows of a batch."""
        table = read_table(X, schema=self._schema)
        for j, feature in enumerate(self._summary.features):
            self._counts[j] += feature.counts(table.column(j))

    def features(self) -> dict[str, Drift]:
        """The drift of every feature, by name."""
        found = zip(self._schema.names, self._summary.features, self._counts)
        return {name: self.of_groups([*each.shares, each.missing], counts) for name, each, counts in found}

    def scores(self, scores: np.ndarray) -> Drift | None:
        """The drift of the scores; None if the model has no summary of held-out scores."""
        of_training = self._summary.scores
        if of_training is None:
            return None
        shares = of_training.shares[::-1]  # bands count from the best one
        return self.of_groups(shares, np.bincount(of_training.bands(scores), minlength=len(shares)))

    def same_as_training(self) -> bool:
        """Whether every group has exactly as many rows as in training: these are then the training rows, in any order.

        False if the groups are too few to tell.
        """
        n_rows = self._summary.n_rows
        groups = sum(len(counts) - 1 for counts in self._counts)
        return groups >= _ENOUGH_GROUPS and all(
            np.array_equal(np.round(np.array([*each.shares, each.missing]) * n_rows), counts)
            for each, counts in zip(self._summary.features, self._counts)
        )

    def of_groups(self, expected: ArrayLike, counts: ArrayLike) -> Drift:
        """The drift over groups of any kind, such as the strata of a tree: training rows, and new ones."""
        return Drift.between(expected, counts, self._summary.n_rows)


def _shares(mass: ArrayLike, name: str, floor: float) -> FloatArray:
    values = as_numbers(mass, name, "pass one share per group")
    if not np.isfinite(values).all() or (values < 0).any() or not values.sum() > 0:
        raise ValueError(f"{name} must be finite shares or masses of 0 or more with a positive sum, got {values}.")
    raised = np.maximum(values / values.sum(), floor)
    return raised / raised.sum()
