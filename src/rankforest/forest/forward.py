"""Trees that judge a forest forward in time: each learns from the rows before a block, and is judged by that block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.folds import Folds
from .sampling import Draw, Sampling

__all__ = ["N_FOLDS", "ForwardDraw", "forward_draw", "whole_rounds"]

N_FOLDS = 5  # at most, as in boosting


@dataclass(frozen=True)
class ForwardDraw(Draw):
    """A draw from the rows before a block; the rows of that block are out of bag.

    Tree b judges the fold b modulo the number of folds. Its rows are drawn as `sampling` says from those before the
    fold, so that the rows of the first block are never out of bag.
    """

    sampling: Sampling
    folds: Folds
    codes: np.ndarray  # of the times of the rows

    @property
    def groups(self) -> np.ndarray:
        """Rows of the same time, which halves have all or none of."""
        return self.codes

    @property
    def blocks(self) -> np.ndarray:
        return self.folds.of

    @property
    def leaves_rows_out(self) -> bool:
        return True

    def out_of_bag(self, labels: np.ndarray, first_tree: int, n_trees: int, n_threads: int) -> np.ndarray:
        bits = np.packbits(self.folds.masks() == 1, axis=1, bitorder="little")
        return bits[np.arange(first_tree, first_tree + n_trees) % self.folds.n_folds]

    def grown(
        self,
        sample: Any,
        grow: Callable[..., Sequence[Any]],
        growth: Any,
        *,
        first_tree: int,
        n_trees: int,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> Sequence[Any]:
        found: dict[int, Any] = {}
        for fold in range(self.folds.n_folds):
            numbers = [tree for tree in range(first_tree, first_tree + n_trees) if tree % self.folds.n_folds == fold]
            if not numbers:
                continue
            earlier = sample.take(self.folds.seen(fold))
            draw = self.sampling.draw(earlier.labels, self.seed + fold)
            trees = draw.grown(
                earlier, grow, growth, first_tree=numbers[0] // self.folds.n_folds, n_trees=len(numbers),
                n_threads=n_threads, progress=progress,
            )  # fmt: skip
            found |= dict(zip(numbers, trees))
        return [found[tree] for tree in sorted(found)]


def forward_draw(sampling: Sampling, folds: Folds, codes: np.ndarray, seed: int) -> ForwardDraw:
    """The draw of the trees that judge a forest.

    Examples
    --------
    >>> folds = Folds(np.array([-1, 0, 1]), 2, forward=True)
    >>> draw = forward_draw(Sampling(), folds, np.arange(3, dtype=np.int32), seed=0)
    >>> draw.out_of_bag(np.array([0, 1, 1], dtype=np.uint8), 0, 3, 1).ravel()  # rows 1, 2 and 1
    array([2, 4, 2], dtype=uint8)
    """
    return ForwardDraw(0, bool(sampling.replace), None, seed, sampling, folds, codes)


def whole_rounds(n_trees: int, folds: Folds, of: int = 1) -> int:
    """A number of trees that is not smaller, so that every fold has as many, a multiple of `of`."""
    size = of * folds.n_folds
    return -(-n_trees // size) * size
