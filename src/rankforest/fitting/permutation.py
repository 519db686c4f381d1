"""Permutation importance: the drop of a metric when the values of one feature are shuffled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.training_rows import TrainingRows

__all__ = ["PermutationImportance", "shuffled_drops"]


@dataclass(frozen=True, repr=False, eq=False)
class PermutationImportance:
    """Drop of the metric of a ranking when a feature is shuffled.

    Attributes
    ----------
    names : tuple of str
        The features.
    mean, std : arrays of shape (n_features,)
        Mean drop of the metric over the repeats, and its standard deviation.
    drops : array of shape (n_features, n_repeats)
    baseline : float
        The metric before anything is shuffled.

    Examples
    --------
    >>> drops = np.array([[0.1, 0.3], [0.0, 0.0]])
    >>> print(PermutationImportance(("age", "debt"), drops.mean(axis=1), drops.std(axis=1), drops, 0.8))
    feature     mean       sd   (baseline 0.8000)
    age       0.2000   0.1000
    debt      0.0000   0.0000
    """

    names: tuple[str, ...]
    mean: np.ndarray
    std: np.ndarray
    drops: np.ndarray
    baseline: float

    def to_dict(self) -> dict[str, float]:
        """Mean drops by name, the largest first."""
        return {self.names[j]: float(self.mean[j]) for j in np.argsort(-self.mean, kind="stable")}

    def __str__(self) -> str:
        width = max(len("feature"), *map(len, self.names))
        lines = [f"{'feature':<{width}}  {'mean':>7}  {'sd':>7}   (baseline {self.baseline:.4f})"]
        for j in np.argsort(-self.mean, kind="stable"):
            lines.append(f"{self.names[j]:<{width}}  {self.mean[j]:>7.4f}  {self.std[j]:>7.4f}")
        return "\n".join(lines)

    __repr__ = __str__


def shuffled_drops(
    measure: Callable[[np.ndarray | None], float],
    training: TrainingRows,
    names: Sequence[str],
    *,
    n_repeats: int,
    seed: int,
) -> PermutationImportance:
    """Drop of a metric of the training rows when a feature is shuffled among them.

    Parameters
    ----------
    measure : callable
        Takes the values of all training rows, with one feature shuffled; None means the rows as they are.
    """
    rng = np.random.default_rng(seed)
    X = training.values(slice(None))
    baseline = measure(None)
    drops = np.empty((len(names), n_repeats))
    for j in range(len(names)):
        kept = X[:, j].copy()
        for repeat in range(n_repeats):
            X[:, j] = rng.permutation(kept)
            drops[j, repeat] = baseline - measure(X)
        X[:, j] = kept
    return PermutationImportance(tuple(names), drops.mean(axis=1), drops.std(axis=1), drops, baseline)
