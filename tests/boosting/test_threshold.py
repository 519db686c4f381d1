"""RankBoost with thresholds: against the matrix of all pairs, and the bound of its paper."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import naive_boost
from forests import mixed_sample, sample_of, values_of
from rankforest import EarlyStopping, ThresholdRankBoost
from rankforest.boosting.rounds import Boosting, boost
from rankforest.boosting.trees import BoostedTrees
from rankforest.data import simulate
from rankforest.data.sample import Sample

THRESHOLDS = Boosting(base="threshold", loss="exponential")


def boosted(sample: Sample, n_rounds: int) -> BoostedTrees:
    return boost(sample, THRESHOLDS, np.zeros((1, sample.n_rows), dtype=np.uint8), n_rounds=n_rounds, seed=0).trees


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_rules_and_steps_are_those_of_all_pairs(seed: int, weighted: bool) -> None:
    sample = mixed_sample(seed, 50, weighted=weighted)
    found, (rules, scores) = boosted(sample, 8), naive_boost.rank_boost(sample, 8)
    np.testing.assert_array_equal(found.feature, [rule.feature for rule in rules])
    np.testing.assert_allclose(found.value.reshape(-1, 2), [(0.0, rule.alpha) for rule in rules], rtol=1e-9)
    np.testing.assert_allclose(found.gain, [abs(rule.r) for rule in rules], rtol=1e-9)
    np.testing.assert_allclose(found.margin(values_of(sample)), scores, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_ranking_loss_is_below_the_product_of_z(seed: int) -> None:
    """Theorem 1 of the paper, and Z <= sqrt(1 - r^2) for its third method."""
    sample = mixed_sample(seed, 60, weighted=True)
    trees, (rules, _) = boosted(sample, 10), naive_boost.rank_boost(sample, 10)
    X, bound = values_of(sample), 1.0
    for t, rule in enumerate(rules):
        bound *= rule.z
        assert rule.z <= np.sqrt(1 - rule.r**2) + 1e-3  # 1e-3: the step is smoothed
        f = trees.added(X, 0, t + 1)
        misordered = f[sample.labels == 1][:, None] <= f[sample.labels == 0][None, :]
        w = sample.weights
        assert w is not None
        assert (
            np.average(np.average(misordered, axis=0, weights=w[sample.labels == 1]), weights=w[sample.labels == 0])
            <= bound
        )
    assert bound < 0.75


def test_one_perfect_threshold_has_a_finite_step() -> None:
    sample = sample_of(np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1]))
    trees = boosted(sample, 3)
    assert np.isfinite(trees.value).all()
    np.testing.assert_allclose(trees.value[1], 0.5 * np.log((2 + 0.25) / 0.25))
    assert (np.diff(trees.margin(values_of(sample))) >= 0).all()


def test_estimator() -> None:
    train, test = (simulate.rf10_sparse(1000, random_state=seed) for seed in (0, 1))
    model = ThresholdRankBoost().fit(train.X, train.y)
    assert model.n_iter_ == 30
    assert not hasattr(model, "held_out_auc_")
    assert roc_auc_score(test.y, model.score_samples(test.X)) > 0.84
    np.testing.assert_allclose(model.predict_proba(test.X).sum(axis=1), 1.0)
    held_out = ThresholdRankBoost(200, n_folds=4, random_state=0).fit(train.X, train.y)
    assert held_out.n_iter_ <= 200
    assert held_out.team_.members[0].trees.n_boosters == 4
    assert held_out.held_out_auc_ > 0.83


def test_other_losses_are_refused() -> None:
    with pytest.raises(ValueError, match="loss is 'log_loss'; thresholds are boosted by the exponential loss alone"):
        Boosting(base="threshold", loss="log_loss").to_core(1, 0)
    with pytest.raises(ValueError, match="symmetric is True; thresholds are no trees"):
        Boosting(base="threshold", loss="exponential", symmetric=True).to_core(1, 0)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0; give a whole number of at least 1."),
        ({"n_folds": 1}, "n_folds is 1; give a whole number of at least 2."),
        ({"n_folds": EarlyStopping(n_iter_no_change=0)}, "n_iter_no_change is 0; give a whole number of at least 1."),
        ({"max_bins": 1}, "max_bins is 1; give a whole number of at least 2."),
        ({"max_bins": 70_000}, "max_bins is 70000; the most is 65535."),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ThresholdRankBoost(**parameters).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
