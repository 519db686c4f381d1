"""Effect of each feature on the score of one row, for any model: its value is replaced, and the row scored again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.table import read_table
from ..words import area, signed
from ._coded import coded_scoring

__all__ = ["SwapEffects", "swap_effects"]

_CELLS_AT_ONCE = 2**21


@dataclass(frozen=True, repr=False, eq=False)
class SwapEffects:
    """The score of a row, and its scores with one feature at a time taken from other rows.

    Attributes
    ----------
    names : tuple of str
        The features.
    score : float
        Of the row.
    swapped : array of shape (n_features,)
        Mean score when the feature has the values of the other rows, and all other features stay the same.
    """

    names: tuple[str, ...]
    score: float
    swapped: np.ndarray

    @property
    def effect(self) -> np.ndarray:
        """Score minus swapped: positive if the row's own value of the feature increases the score."""
        return self.score - self.swapped

    def to_dict(self) -> dict[str, float]:
        """Effects by name, the largest first, whatever their sign."""
        effect = self.effect
        return {self.names[j]: float(effect[j]) for j in np.argsort(-np.abs(effect), kind="stable")}

    def __str__(self) -> str:
        width = max(map(len, self.names))
        lines = [f"{name:<{width}}  {signed(effect)}" for name, effect in self.to_dict().items()]
        return "\n".join([f"score {area(self.score)}", *lines])

    __repr__ = __str__


def swap_effects(model: Any, row: Any, others: Any) -> SwapEffects:
    """Replace the features of a row, one at a time, by those of other rows.

    Parameters
    ----------
    model : FittedModel or RankingTree
        A fitted model of rankforest, or a tree of one.
    row : array or data frame of shape (1, q)
    others : array or data frame of shape (n, q)
        One row to compare with, or a sample of rows that stands for all.

    Examples
    --------
    >>> from rankforest import RankingForest
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf10_sparse(300, random_state=0)
    >>> model = RankingForest(20, random_state=0).fit(sample.X, sample.y)
    >>> found = swap_effects(model, sample.X[:1], sample.X[1:])
    >>> next(iter(found.to_dict()))
    'x0'
    """
    schema, score = coded_scoring(model)
    own, other = (
        np.vstack(list(read_table(X, schema=schema, estimator_name=type(model).__name__).blocks()))
        for X in (row, others)
    )
    if len(own) != 1:
        raise ValueError(f"row has {len(own)} rows; give one.")
    n, q = other.shape
    size = max(1, _CELLS_AT_ONCE // (n * q))  # features at once: a wide table would not fit in memory
    swapped = np.empty(q)
    for start in range(0, q, size):
        features = range(start, min(start + size, q))
        block = np.repeat(own, n * len(features), axis=0)
        for k, j in enumerate(features):
            block[k * n : (k + 1) * n, j] = other[:, j]
        swapped[features.start : features.stop] = score(block).reshape(len(features), n).mean(axis=1)
    return SwapEffects(schema.names, float(score(own)[0]), swapped)
