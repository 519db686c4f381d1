"""The tables that the benchmarks of speed and memory run on."""

from __future__ import annotations

import numpy as np

from rankforest.data import simulate

__all__ = ["N_FEATURES", "rf20_rows", "weak_gaussians"]

N_FEATURES = 20
_BLOCK_ROWS = 10_000


def weak_gaussians(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian features and labels 0 / 1 that depend a little on each of them: trees of depth 8 are full.

    Made in place, block by block: making them leaves no freed memory behind that would hide what a fit takes.
    """
    rng = np.random.default_rng(seed)
    X = np.empty((n, N_FEATURES))
    rng.standard_normal(out=X)
    y = np.empty(n, dtype=np.uint8)
    for start in range(0, n, _BLOCK_ROWS):
        block = X[start : start + _BLOCK_ROWS]
        y[start : start + _BLOCK_ROWS] = (
            block.sum(axis=1) / np.sqrt(N_FEATURES) + 2 * rng.standard_normal(len(block)) > 0
        )
    return X, y


def rf20_rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """RF20 as float32 and labels 0 / 1, made block by block, so that there is never more than the table itself."""
    rng = np.random.default_rng(seed)
    X, y = np.empty((n, N_FEATURES), dtype=np.float32), np.empty(n, dtype=np.uint8)
    for start in range(0, n, _BLOCK_ROWS):
        block = simulate.rf20(min(_BLOCK_ROWS, n - start), rng)
        X[start : start + _BLOCK_ROWS], y[start : start + _BLOCK_ROWS] = block.X, block.y == 1
    return X, y
