"""Brute-force twins for ordered labels: PRank row by row from its definition, and metrics over all pairs and tuples."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

import naive

Kernel = Callable[[np.ndarray, np.ndarray], float]


@dataclass
class Learner:
    """A PRank in dual form: how often each row was added, and all thresholds. Rules after each example are kept."""

    times: list[int]
    thresholds: list[int]
    history: list[tuple[list[int], list[int]]] = field(default_factory=list)
    loss: list[int] = field(default_factory=list)


def stream(n: int, n_epochs: int, shuffle: bool, share: float, seed: int, learner: int) -> Iterator[tuple[int, int]]:
    """(epoch, row) of every example that a learner sees."""
    coins = naive.words(naive.child_key(naive.child_key(seed, 1), learner))
    for epoch in range(n_epochs):
        key = naive.child_key(naive.child_key(seed, 0), epoch)
        for row in naive.draw_some(range(n), n, key) if shuffle else range(n):
            if (next(coins) >> 11) / 2**53 < share:
                yield epoch, row


def prank(
    score: Callable[[list[int], int], float], labels: Sequence[int], n_levels: int, examples: Iterator[tuple[int, int]]
) -> Learner:
    """Crammer and Singer's algorithm; levels are 1 to k here, as in the paper."""
    learner = Learner([0] * len(labels), [0] * (n_levels - 1))
    for epoch, row in examples:
        while len(learner.loss) <= epoch:
            learner.loss.append(0)
        b, value, y = learner.thresholds, score(learner.times, row), labels[row] + 1
        predicted = min(r for r in range(1, n_levels + 1) if r == n_levels or value - b[r - 1] < 0)
        if predicted != y:
            learner.loss[epoch] += abs(predicted - y)
            for r in range(1, n_levels):
                side = -1 if y <= r else 1
                if (value - b[r - 1]) * side <= 0:
                    learner.times[row] += side
                    b[r - 1] -= side
        learner.history.append((list(learner.times), list(b)))
    return learner


def kernel_score(gram: np.ndarray) -> Callable[[list[int], int], float]:
    return lambda times, row: float(sum(a * gram[i, row] for i, a in enumerate(times) if a))


def averaged(learner: Learner) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the rules after each example."""
    times, thresholds = zip(*learner.history)
    return np.mean(times, axis=0), np.mean(thresholds, axis=0)


# ---- metrics


def concordance(y: Sequence[float], s: Sequence[float], w: Sequence[int]) -> Fraction:
    """Over all pairs with different labels."""
    good = total = Fraction(0)
    for i, j in itertools.permutations(range(len(y)), 2):
        if y[i] < y[j]:
            good += w[i] * w[j] * (Fraction(1) if s[i] < s[j] else Fraction(1, 2) if s[i] == s[j] else 0)
            total += w[i] * w[j]
    return good / total


def volume(codes: Sequence[int], s: Sequence[float], w: Sequence[int], k: int) -> Fraction:
    """Over all tuples with one row of each label; m tied scores are in the right order with probability 1 / m!."""
    rows = [[i for i, code in enumerate(codes) if code == level] for level in range(k)]
    good = total = Fraction(0)
    for chosen in itertools.product(*rows):
        mass = math.prod(w[i] for i in chosen)
        total += mass
        scores = [s[i] for i in chosen]
        if scores == sorted(scores):
            ties = math.prod(math.factorial(len(list(group))) for _, group in itertools.groupby(scores))
            good += Fraction(mass, ties)
    return good / total
