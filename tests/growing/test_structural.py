"""The structural penalties by their formulas, and which rules have one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from cells import Stump
from rankforest import Dyadic, LeafRank, TreeRank
from rankforest.data import simulate
from rankforest.growing.structural import Structural, penalty_of
from rankforest.tree.rule_tree import RuleTree


@pytest.mark.parametrize(
    ("rule", "kappa"),
    [
        (LeafRank(max_depth=1), 1),
        (LeafRank(max_depth=2), 3),
        (LeafRank(max_depth=5, max_leaf_nodes=4), 3),
        (LeafRank(max_depth=2, max_leaf_nodes=99), 3),
        (LeafRank(max_depth=None), 39),
        (LeafRank(max_depth=100), 39),
        (LeafRank(max_depth=None, max_leaf_nodes=2), 1),
    ],
)
def test_o1_in_whole_numbers(rule: LeafRank, kappa: int) -> None:
    """sqrt(32 (log(16 ((n + 1) q)^(2 K kappa)) + K) / n) / (p (1 - p)), the power as a whole number."""
    n, q, p = 40, 3, Fraction(3, 10)
    assert rule.most_cuts(n) == kappa
    found = penalty_of(rule, 5, n_rows=n, n_features=q, share=float(p))
    for leaves in range(1, 6):
        power = 16 * ((n + 1) * q) ** (2 * leaves * kappa)
        expected = math.sqrt(32 * (math.log(power) + leaves) / n) / float(p * (1 - p))
        assert found[leaves - 1] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("resolution", "q"), [(1, 1), (1, 3), (2, 2), (3, 2)])
def test_o2_in_whole_numbers(resolution: int, q: int) -> None:
    """sqrt((log(4 K^(2^(J q))) + K) / (2 n)) / (p (1 - p)), the power as a whole number."""
    n, p = 50, Fraction(1, 4)
    found = penalty_of(Dyadic(resolution), 5, n_rows=n, n_features=q, share=float(p))
    for leaves in range(1, 6):
        power = 4 * leaves ** (2 ** (resolution * q))
        expected = math.sqrt((math.log(power) + leaves) / (2 * n)) / float(p * (1 - p))
        assert found[leaves - 1] == pytest.approx(expected, rel=1e-12)


def test_o2_of_many_features_stays_finite() -> None:
    found = penalty_of(Dyadic(8), 3, n_rows=100, n_features=1000, share=0.5)
    assert np.isfinite(found).all()
    assert np.all(np.diff(found) > 0)


def test_dyadic_trees_are_pruned_by_o2() -> None:
    sample = simulate.uniform_mixture(1000, random_state=0)
    model = TreeRank(Dyadic(1), max_depth=4, pruning="structural", random_state=0).fit(sample.X, sample.y)
    found = model.pruning_
    assert isinstance(found, Structural)
    assert isinstance(model.tree_, RuleTree)
    assert 1 < model.tree_.n_leaves < model.grown_tree_.n_leaves
    share = float(np.mean(sample.y == 1))
    np.testing.assert_allclose(
        found.penalty, penalty_of(Dyadic(1), len(found.penalty), n_rows=1000, n_features=2, share=share)
    )
    free = TreeRank(Dyadic(1), max_depth=4, pruning="structural", penalty=0.0).fit(sample.X, sample.y)
    assert free.tree_.auc == pytest.approx(free.grown_tree_.auc)


@pytest.mark.parametrize("splitter", [LogisticRegression(), [LeafRank(), Dyadic()], [LeafRank(), LogisticRegression()]])
def test_rules_without_a_penalty_get_a_sentence(splitter: Any) -> None:
    message = r'^pruning is "structural", whose penalty is known for LeafRank and Dyadic alone; set pruning to "cv"\.$'
    with pytest.raises(TypeError, match=message):
        TreeRank(splitter, pruning="structural").fit(np.arange(8.0)[:, None], [0, 1] * 4)


def test_it_is_said_before_any_work() -> None:
    """A classifier that would interrupt the fit is never asked."""
    with pytest.raises(TypeError, match="structural"):
        TreeRank(Stump(10**6, KeyboardInterrupt), pruning="structural").fit(np.arange(8.0)[:, None], [0, 1] * 4)
