"""The structural penalties by their formulas, and which rules have one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from cells import Stump, sample_of
from rankforest import Dyadic, LeafRank, Pruning, TreeRank
from rankforest.data import simulate
from rankforest.growing.structural import Structural, penalty_of
from rankforest.growing.treerank import Growth, grow_by_rule
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
    found = penalty_of(Growth(rule), 5, sample_of(np.ones((n, q)), np.arange(n) % 2), float(p))
    for leaves in range(1, 6):
        power = 16 * ((n + 1) * q) ** (2 * leaves * kappa)
        expected = math.sqrt(32 * (math.log(power) + leaves) / n) / float(p * (1 - p))
        assert found[leaves - 1] == pytest.approx(expected, rel=1e-12)


def o2(n_cubes: int, leaves: int, n: int, p: Fraction) -> float:
    """sqrt((log(4 K^N) + K) / (2 n)) / (p (1 - p)), the power as a whole number."""
    return math.sqrt((math.log(4 * leaves**n_cubes) + leaves) / (2 * n)) / float(p * (1 - p))


@pytest.mark.parametrize(("resolution", "q"), [(1, 1), (1, 3), (2, 2), (3, 2)])
def test_o2_in_whole_numbers(resolution: int, q: int) -> None:
    """All features are numbers: N = 2^(J q)."""
    n, p = 50, Fraction(1, 4)
    X = np.random.default_rng(0).normal(size=(n, q))
    found = penalty_of(Growth(Dyadic(resolution)), 5, sample_of(X, np.arange(n) % 2), float(p))
    for leaves in range(1, 6):
        assert found[leaves - 1] == pytest.approx(o2(2 ** (resolution * q), leaves, n, p), rel=1e-12)


@pytest.mark.parametrize(("missing", "n_cubes"), [("learned", (4 + 1) * (3 + 1) * 4 * 1), ("cell_mean", 4 * 4 * 4)])
def test_o2_counts_the_cubes_there_are(missing: str, n_cubes: int) -> None:
    """A number and three categories, both with missing values, a number without, and a constant.

    A tree of them has no more strata than cubes.
    """
    n, p = 400, Fraction(1, 2)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.normal(size=n), np.ones(n)])
    X[rng.random(n) < 0.2, 0] = np.nan
    X[rng.random(n) < 0.2, 1] = np.nan
    y = rng.integers(0, 2, n)
    sample = sample_of(X, y, categorical=[1])
    growth = Growth(Dyadic(2, missing=missing))
    found = penalty_of(growth, 5, sample, float(p))
    np.testing.assert_allclose(found, [o2(n_cubes, leaves, n, p) for leaves in range(1, 6)], rtol=1e-12)
    assert grow_by_rule(sample, growth, seed=0).n_leaves <= n_cubes


def test_o2_of_many_features_stays_finite() -> None:
    X = np.random.default_rng(0).normal(size=(100, 1000))
    found = penalty_of(Growth(Dyadic(8)), 3, sample_of(X, np.arange(100) % 2), 0.5)
    assert np.isfinite(found).all()
    assert np.all(np.diff(found) > 0)


def test_dyadic_trees_are_pruned_by_o2() -> None:
    sample = simulate.uniform_mixture(1000, random_state=0)
    model = TreeRank(Dyadic(2), pruning="structural", random_state=0).fit(sample.X, sample.y)
    found = model.pruning_
    assert isinstance(found, Structural)
    assert isinstance(model.tree_, RuleTree)
    assert 1 < model.tree_.n_leaves < model.grown_tree_.n_leaves
    share = float(np.mean(sample.y == 1))
    np.testing.assert_allclose(
        found.penalty, penalty_of(Growth(Dyadic(2)), len(found.penalty), sample_of(sample.X, sample.y == 1), share)
    )
    free = TreeRank(Dyadic(2), pruning=Pruning("structural", penalty=0.0)).fit(sample.X, sample.y)
    assert free.tree_.auc == pytest.approx(free.grown_tree_.auc)


@pytest.mark.parametrize("splitter", [LogisticRegression(), [LeafRank(), Dyadic()], [LeafRank(), LogisticRegression()]])
def test_rules_without_a_penalty_get_a_sentence(splitter: Any) -> None:
    message = r'^pruning is "structural", but the structural penalty is only known for LeafRank and Dyadic; set pruning'
    with pytest.raises(TypeError, match=message):
        TreeRank(splitter, pruning="structural").fit(np.arange(8.0)[:, None], [0, 1] * 4)


def test_cubes_of_many_boxes_have_no_penalty() -> None:
    message = (
        r"^pruning is \"structural\", but the structural penalty is for the cubes of one grid, and Dyadic's box is"
    )
    with pytest.raises(ValueError, match=message):
        TreeRank(Dyadic(1, box="cell"), pruning="structural").fit(np.arange(8.0)[:, None], [0, 1] * 4)


def test_rules_without_a_penalty_raise_before_the_fit() -> None:
    """The classifier would interrupt the fit, but it is never fitted."""
    with pytest.raises(TypeError, match="structural"):
        TreeRank(Stump(10**6, KeyboardInterrupt), pruning="structural").fit(np.arange(8.0)[:, None], [0, 1] * 4)


def test_the_penalty_is_that_of_the_chosen_resolution() -> None:
    """Without a resolution one is chosen before the fit, and the trees of shuffled labels have it too."""
    sample = simulate.conditional_gaussians(1000, random_state=0)
    free, given = (
        TreeRank(Dyadic(resolution), pruning="structural", random_state=0).fit(sample.X, sample.y)
        for resolution in (None, 2)
    )
    assert free.grown_tree_.divisions[0].grid.resolution == 2
    assert free.pruning_.constant == given.pruning_.constant
    np.testing.assert_array_equal(free.pruning_.penalty, given.pruning_.penalty)
