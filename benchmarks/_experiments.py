"""What the benchmarks of accuracy share: seeds that no default was chosen on, replications side by side, means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from joblib import Parallel, delayed

__all__ = ["FIRST_SEED", "differences", "mean_and_error", "over_seeds"]

# The defaults of LeafRank were chosen on seeds 0 to 7, those of its pruning on seeds 100 to 123, so the figures are
# taken on others.
FIRST_SEED = 500

Result = TypeVar("Result")


def over_seeds(task: Callable[[int], Result], seeds: Iterable[int]) -> list[Result]:
    """The task at every seed, in all cores; nothing is timed here. A few seeds are not worth starting processes."""
    chosen = list(seeds)
    return list(Parallel(n_jobs=-1 if len(chosen) > 4 else 1)(delayed(task)(seed) for seed in chosen))


def mean_and_error(values: Sequence[float]) -> str:
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def differences(ours: Sequence[float], theirs: Sequence[float]) -> str:
    """Mean difference of two models on the same samples, and its standard error."""
    gap = np.subtract(ours, theirs)
    return f"{gap.mean():+.4f} ± {gap.std(ddof=1) / np.sqrt(len(gap)):.4f}"
