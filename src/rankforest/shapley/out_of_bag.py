"""The out-of-bag rows of a forest as background: each tree compares with rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..data.training_rows import TrainingRows
from ..fitting.progress import Meter
from ..forest.groves import Grove, few_trees_and_bits
from ..forest.sampling import Draw
from ..forest.votes import flags_of
from .background import USUAL_BACKGROUND

__all__ = ["OutOfBagRows", "SumOfTree"]

SumOfTree = Callable[[Any], _core.TreeSum]  # from a tree to its score, as the core's sum


@dataclass(frozen=True)
class OutOfBagRows:
    """Compares with at most 100 of the out-of-bag rows of each tree, drawn at random, the same ones each time.

    A forest in memory keeps the bins of its training rows. Thresholds lie between bins; so a mixture of a row and the
    means of bins takes the paths that its mixture with the training row itself would take.

    Attributes
    ----------
    groves : sequence of Grove
    draw : Draw
    training : TrainingRows
    sum_of : SumOfTree
    """

    groves: Sequence[Grove]
    draw: Draw
    training: TrainingRows
    sum_of: SumOfTree

    name = "the out-of-bag rows"

    @cached_property
    def base(self) -> float:
        """Mean over the trees of their mean scores of these rows."""
        means = [float(tree.sum(Z, 0, 1, 1) @ weight) for tree, Z, weight in self._compared(1)]
        return float(np.mean(means))

    def average(self, X: np.ndarray, *, interactions: bool, n_threads: int) -> np.ndarray:
        """As `Part.shapley`: the mean over the trees."""
        q = X.shape[1]
        found = np.zeros((len(X), q, q) if interactions else (len(X), q))
        with Meter(sum(len(grove.trees) for grove in self.groves)) as meter:
            for number, (tree, Z, weight) in enumerate(self._compared(n_threads)):
                found += tree.shapley(X, Z, weight, None, interactions, n_threads)
                if meter.tick is not None:
                    meter.tick(number)
        return found / meter.total

    def _compared(self, n_threads: int) -> Iterator[tuple[_core.TreeSum, np.ndarray, np.ndarray]]:
        """Each tree with some of its out-of-bag rows, or of all rows if none is, and their weights."""
        n_rows, number = self.training.n_rows, 0
        for trees, bits in few_trees_and_bits(self.groves, self.draw, self.training.labels, n_threads):
            for tree, own in zip(trees, bits):
                unseen = flags_of(own[None, :], np.arange(n_rows))[:, 0]
                rows = np.flatnonzero(unseen) if unseen.any() else np.arange(n_rows)
                rng = np.random.default_rng((self.draw.seed, number))
                rows = np.sort(rng.choice(rows, min(USUAL_BACKGROUND, len(rows)), replace=False))
                weights = np.ones(len(rows)) if self.training.weights is None else self.training.weights[rows]
                yield self.sum_of(tree), np.ascontiguousarray(self.training.values(rows)), weights / weights.sum()
                number += 1
