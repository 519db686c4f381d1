"""The threshold with a precision: how often it is too low, by simulation and by exact binomial tails."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from rankforest.metrics import precision_threshold
from rankforest.metrics._held_out_list import HeldOutList
from rankforest.metrics.precision_threshold import _ranks, fewest_rows, threshold_for


def eta(score: np.ndarray) -> np.ndarray:
    """Probability of a positive at a score in [0, 1]; it does not grow with the score everywhere."""
    return np.clip(1.5 * score**2 + 0.1 * np.sin(12 * score), 0.02, 0.95)


GRID = np.linspace(0, 1, 100_001)
ABOVE = np.append(np.cumsum(eta(GRID)[::-1])[::-1] / np.arange(len(GRID), 0, -1), 1.0)  # precision above each point


@pytest.mark.parametrize(("precision", "confidence", "n"), list(product([0.6, 0.75], [0.8, 0.95], [150, 600])))
def test_the_threshold_is_rarely_too_low(precision: float, confidence: float, n: int) -> None:
    rng = np.random.default_rng(n)
    reached = []
    for _ in range(400):
        score = rng.random(n)
        y = rng.random(n) < eta(score)
        line = threshold_for(HeldOutList.of(y, score), precision, 1 - confidence)
        reached.append(1.0 if line.flagged == 0 else ABOVE[min(int(line.threshold * 100_000) + 1, 100_001)])
    too_low = np.mean(np.array(reached) < precision)
    assert too_low <= (1 - confidence) + 2.5 * np.sqrt(confidence * (1 - confidence) / 400)
    if n == 600:
        assert np.mean(np.array(reached) < 1.0) > 0.9, "most samples have a threshold"


def test_every_test_passes_by_the_exact_tail_and_the_next_one_does_not() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        score = np.round(rng.random(400), 2)  # with ties
        y = rng.random(400) < eta(score)
        line = precision_threshold(y, score, 0.6, confidence=0.9)
        ranks = _ranks(400, 0.6, 0.1)
        best = np.inf, 0, 0
        for rank in ranks:
            edge = np.sort(score)[::-1][rank]
            above = score > edge
            if binom.sf(y[above].sum() - 1, above.sum(), 0.6) <= 0.1 / len(ranks) and edge < best[0]:
                best = edge, above.sum(), y[above].sum()
        assert tuple(line) == best


@pytest.mark.parametrize(
    ("n", "precision", "delta"), list(product([5, 30, 1000, 40_000], [0.5, 0.8, 0.97], [0.2, 0.01]))
)
def test_ranks_are_few_and_all_of_them_can_pass(n: int, precision: float, delta: float) -> None:
    ranks = _ranks(n, precision, delta)
    if len(ranks) == 0:
        assert precision ** (n - 1) > delta * 0.9  # all rows but one are positive, and that is hardly enough
        return
    assert ranks[0] >= fewest_rows(precision, delta)
    assert precision ** ranks[0] <= delta / len(ranks)
    assert ranks[-1] < n
    assert (np.diff(ranks) > 0).all()
    assert len(ranks) < 50


def test_too_few_rows_give_no_threshold() -> None:
    assert precision_threshold([1] * 12 + [0], range(13, 0, -1), 0.9) == (np.inf, 0, 0)
    with pytest.raises(ValueError, match=r"precision must be one number in \(0, 1\), got 1"):
        precision_threshold([0, 1], [0, 1], 1)
    with pytest.raises(ValueError, match="confidence must lie between 0 and 1"):
        precision_threshold([0, 1], [0, 1], 0.5, confidence=2)
