"""Several kinds of trees, and what each is worth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from forests import mixed_sample, values_of
from rankforest.boosting import kinds
from rankforest.boosting.kinds import AUTO, CANDIDATES, boost_team, candidates
from rankforest.boosting.rounds import Boosting

ALL_AUTO: dict[str, Any] = dict.fromkeys(CANDIDATES[0], AUTO)
FEW = [
    Boosting(max_leaf_nodes=3, min_samples_leaf=3),
    Boosting(loss="exponential", max_leaf_nodes=5),
    Boosting(loss="logistic", cuts="random"),
]
OPTIONS: dict[str, Any] = {"n_rounds": 30, "n_folds": 3, "n_repeats": 1, "patience": 10, "seed": 2, "n_threads": 1}


def test_what_is_given_holds_for_all_candidates() -> None:
    assert len(candidates(ALL_AUTO, {})) == len(CANDIDATES)
    found = candidates(ALL_AUTO | {"loss": "logistic", "max_leaf_nodes": None}, {"learning_rate": 0.1})
    assert all(kind.loss == "logistic" and kind.max_leaf_nodes is None for kind in found)
    assert all(kind.learning_rate == 0.1 for kind in found)
    assert len(set(found)) == len(found) < len(CANDIDATES)
    assert len(candidates(CANDIDATES[3], {})) == 1


def test_the_team_is_the_weighted_sum_of_its_members() -> None:
    sample = mixed_sample(3, 150)
    team = boost_team(sample, FEW, **OPTIONS)
    X = values_of(sample)
    weights = [trial.weight for trial in team.trials]
    assert sum(weights) == pytest.approx(1.0)
    assert weights == sorted(weights, reverse=True)
    assert len(team.members) == sum(weight > 0 for weight in weights) > 1
    total = np.zeros(150)
    for member, trial in zip(team.members, team.trials):
        alone = boost_team(sample, [trial.boosting], **OPTIONS)
        assert alone.members[0].factor == 1.0
        assert alone.trials[0].auc == pytest.approx(trial.auc)
        held_out = np.asarray(alone.held_out) + alone.members[0].centre
        assert member.centre == pytest.approx(held_out.mean())
        assert member.factor == pytest.approx(trial.weight / held_out.std())
        total += member.factor * (alone.members[0].trees.margin(X) - member.centre)
    np.testing.assert_allclose(team.margin(X), total, rtol=1e-9)
    steps = team.start() + sum(team.added(X, r, r + 1) for r in range(team.n_rounds))
    np.testing.assert_allclose(steps, total, rtol=1e-9)
    best = max(trial.auc for trial in team.trials)
    assert roc_auc_score(sample.labels, np.asarray(team.held_out)) > best - 0.02


def test_shares_are_greedy() -> None:
    rng = np.random.default_rng(0)
    sample = mixed_sample(1, 200)
    margins = [sample.labels * 0.8 + rng.normal(size=200) * spread for spread in (1.0, 1.2, 6.0)]
    standard = [(m - m.mean()) / m.std() for m in margins]
    aucs = [roc_auc_score(sample.labels, m) for m in margins]
    picks = [int(np.argmax(aucs))]
    for _ in range(5):
        sums = [sum(standard[k] for k in picks) + each for each in standard]
        picks.append(int(np.argmax([roc_auc_score(sample.labels, s) for s in sums])))
    assert kinds._shares(sample, margins, aucs) == [picks.count(k) / 6 for k in range(3)]
    assert set(picks) == {0, 1}


def test_many_rows_are_tried_on_one_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = mixed_sample(2, 150)
    monkeypatch.setattr(kinds, "PILOT_ROWS", 100)
    told: list[int] = []
    team = boost_team(sample, FEW, **OPTIONS, progress=told.append)
    assert all(member.trees.n_boosters == 3 for member in team.members)
    assert not np.isnan(np.asarray(team.held_out)).any()
    assert max(told) <= kinds.most_rounds(sample, FEW, 30, 3) == 180
    assert told == sorted(told)
