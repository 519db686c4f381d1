"""select: the rule with the least local risk, and how sure that is."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rankforest import TreeRank
from rankforest.data import simulate
from rankforest.metrics import bootstrap_test, local_auc, local_risk, select

SAMPLE = simulate.rf20(600, random_state=0)


def rules(seed: int, n: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"noise {k}": SAMPLE.eta + 0.1 * k * rng.normal(size=600) for k in range(n)}


@pytest.mark.parametrize("u", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_least_risk_is_the_largest_local_auc(u: float, weighted: bool) -> None:
    pool = {name: np.round(scores, 1) for name, scores in rules(1).items()}  # with ties
    weight = np.random.default_rng(0).exponential(size=600) if weighted else None
    found = select(pool, None, SAMPLE.y, u, sample_weight=weight, n_replicates=50)
    risks = {name: local_risk(SAMPLE.y, scores, u, sample_weight=weight) for name, scores in pool.items()}
    assert found.risk == pytest.approx(risks)
    assert found.winner == min(risks, key=lambda name: risks[name])
    assert found.local_auc == pytest.approx(
        {name: local_auc(SAMPLE.y, scores, u, sample_weight=weight) for name, scores in pool.items()}
    )
    assert max(found.local_auc, key=lambda name: found.local_auc[name]) == found.winner
    assert list(found.risk) == sorted(risks, key=lambda name: risks[name])
    assert found.rule is pool[found.winner]


def test_the_advantage_of_two_rules_is_the_paired_interval() -> None:
    pool = rules(2, 2)
    found = select(pool, None, SAMPLE.y, 0.2, n_replicates=300)
    loser = next(name for name in pool if name != found.winner)
    paired = bootstrap_test(SAMPLE.y, pool[found.winner], pool[loser], "local_auc", 0.2, n_replicates=300)
    assert found.advantage == {loser: paired.difference}


def test_intervals_of_several_rules_hold_together() -> None:
    pool = rules(3, 2)
    two = select(pool, None, SAMPLE.y, 0.2, n_replicates=500)
    (loser,) = two.advantage
    three = select({**pool, "reversed": -SAMPLE.eta}, None, SAMPLE.y, 0.2, n_replicates=500)
    wider, narrower = three.advantage[loser], two.advantage[loser]
    assert wider.high - wider.low > narrower.high - narrower.low


def test_twins_cannot_be_told_apart_and_a_better_rule_can() -> None:
    twins = select({"one": SAMPLE.eta, "other": 2 * SAMPLE.eta, "bad": -SAMPLE.eta}, None, SAMPLE.y, 0.2)
    assert twins.winner == "one"
    assert twins.share_best == pytest.approx(0.5)
    assert twins.advantage["other"].low <= 0 <= twins.advantage["other"].high
    assert twins.advantage["bad"].low > 0
    assert "one ranks the best 0.2 of the list best, in 50% of samples drawn" in str(twins)


def test_estimators_and_errors() -> None:
    train = simulate.rf20(300, random_state=1)
    y = np.where(SAMPLE.y > 0, "a", "b")
    models = {
        "tree": TreeRank(pos_label="a").fit(train.X, np.where(train.y > 0, "a", "b")),
        "linear": LogisticRegression().fit(train.X, np.where(train.y > 0, "a", "b")),
    }
    found = select(models, SAMPLE.X, y, 0.1, n_replicates=50)
    assert found.winner == "linear"
    assert found.local_auc["tree"] == pytest.approx(local_auc(SAMPLE.y, models["tree"].score_samples(SAMPLE.X), 0.1))
    assert select([SAMPLE.eta], None, SAMPLE.y, 0.1, n_replicates=20).share_best == 1.0
    with pytest.raises(ValueError, match="models is empty"):
        select({}, None, SAMPLE.y, 0.1)
    with pytest.raises(ValueError, match="u"):
        select(rules(0), None, SAMPLE.y, 0.0)
