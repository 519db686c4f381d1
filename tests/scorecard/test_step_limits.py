"""The most steps of a feature: six, unless held-out rows clearly ask for more."""

from types import SimpleNamespace

import numpy as np
import pytest

from rankforest.scorecard.learn import _tried

SHAPES = np.array([0.80, 0.90, 0.85, 0.95])


class Bag:
    """A bag whose drafts lose a given AUC, by the most steps of a feature."""

    codes = None

    def __init__(self, shapes, lost):
        self.by_limit = {most: shapes - each for most, each in lost.items()}

    def draft(self, price, most):
        return SimpleNamespace(totals=lambda codes: self.by_limit[most], used=[], values=[])

    def auc(self, total):
        return total


def chosen(lost, noise=(0.0, 0.0, 0.0, 0.0)):
    bags = [Bag(auc, {most: each + own for most, each in lost.items()}) for auc, own in zip(SHAPES, noise)]
    most, trials = _tried(bags, SimpleNamespace(step_limits=tuple(lost), tolerance=0.01), SHAPES)
    assert trials[0].auc == pytest.approx(SHAPES.mean() - lost[most] - np.mean(noise))
    return most


def test_the_first_limit_that_is_enough():
    assert chosen({6: 0.009, 8: 0.0, 10: 0.0}) == 6
    assert chosen({6: 0.02, 8: 0.009, 10: 0.0}) == 8
    assert chosen({6: 0.02, 8: 0.02, 10: 0.009}) == 10


def test_the_best_if_none_is_enough():
    assert chosen({6: 0.05, 8: 0.03, 10: 0.04}) == 8
    assert chosen({2: 0.05}) == 2


def test_chance_asks_for_no_more_steps():
    """The loss is .015 on average with a standard error of .0087, that is, no clear loss beyond .01."""
    noise = (0.015, -0.015, 0.015, -0.015)
    assert chosen({6: 0.015, 8: 0.0}, noise) == 6
    assert chosen({6: 0.025, 8: 0.0}, noise) == 8
