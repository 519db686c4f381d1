"""Several kinds of trees in one model: weights on small tables, a race and shared folds on large ones."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from forests import mixed_sample, sample_of, values_of
from rankforest.boosting import boost_team as module
from rankforest.boosting import race as racing
from rankforest.boosting.boost_team import Rounds, boost_team, most_rounds
from rankforest.boosting.race import Runner, partner, promise, race
from rankforest.boosting.rounds import Boosting, held_out_folds
from rankforest.boosting.team import Team
from rankforest.data.hold_out import Groups
from rankforest.data.sample import Sample

FEW = [
    Boosting(max_leaf_nodes=3, min_samples_leaf=3),
    Boosting(loss="exponential", max_leaf_nodes=5),
    Boosting(loss="logistic", cuts="random"),
]
STEPS = [Boosting(max_leaf_nodes=leaves, max_features=None) for leaves in (2, 4, 8, 16)]
ROUNDS = Rounds(n_rounds=30, patience=10, seed=2, n_threads=1)


def folds_of(sample: Sample, n_folds: int = 3) -> np.ndarray:
    return held_out_folds(sample.labels, n_folds, 1, ROUNDS.seed)


def team_of(sample: Sample, kinds: list[Boosting], **options: Any) -> Team:
    return boost_team(sample, kinds, folds_of(sample), ROUNDS, **options)


def check_sum(team: Team, total: np.ndarray, X: np.ndarray) -> None:
    np.testing.assert_allclose(team.margin(X), total, rtol=1e-9, atol=1e-12)
    steps = team.start() + sum(team.added(X, r, r + 1) for r in range(team.n_rounds))
    np.testing.assert_allclose(steps, total, rtol=1e-9, atol=1e-12)


# ---- small tables


def test_the_team_is_the_weighted_sum_of_its_members() -> None:
    sample = mixed_sample(3, 150)
    team = team_of(sample, FEW)
    X = values_of(sample)
    weights = [trial.weight for trial in team.trials]
    assert sum(weights) == pytest.approx(1.0)
    assert weights == sorted(weights, reverse=True)
    assert len(team.members) == sum(weight > 0 for weight in weights) > 1
    total = np.zeros(150)
    for member, trial in zip(team.members, team.trials):
        alone = team_of(sample, [trial.boosting])
        assert alone.members[0].factor == 1.0
        assert alone.trials[0].auc == pytest.approx(trial.auc)
        held_out = np.asarray(alone.held_out) + alone.members[0].centre
        assert member.centre == pytest.approx(held_out.mean())
        assert member.factor == pytest.approx(trial.weight / held_out.std())
        total += member.factor * (alone.members[0].trees.margin(X) - member.centre)
    check_sum(team, total, X)
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
    assert module._shares(sample, margins, aucs) == [picks.count(k) / 6 for k in range(3)]
    assert set(picks) == {0, 1}


# ---- large tables


def test_a_curve_promises_the_gain_of_the_next_doubling() -> None:
    assert promise(np.array([0.5, 0.7, 0.75, 0.8])) == pytest.approx(0.8 + 0.1 * 0.5)
    assert promise(np.array([0.6, 0.6, 0.6, 0.7])) == pytest.approx(0.7)  # no gain before: nothing to go by
    assert promise(np.array([0.5, 0.6, 0.7, 0.9])) == pytest.approx(0.9 + 0.3)  # gains that grow count once
    assert promise(np.array([0.5, 0.8, 0.7, 0.6])) == pytest.approx(0.8)


def race_of(known: dict[Boosting, float], monkeypatch: pytest.MonkeyPatch, kinds: list[Boosting]) -> list[Runner]:
    """A race of kinds whose promises are known, on rows without categories."""

    class Known:
        def __init__(self, sample: Any, kind: Boosting, *_: Any, **__: Any) -> None:
            self.curve, self.n_rounds = np.array([known[kind]]), 0

        def advance(self, n_rounds: int) -> None:
            self.n_rounds += n_rounds

    monkeypatch.setattr(racing, "Boosters", Known)
    monkeypatch.setattr(racing, "has_tables", lambda sample, constraints: False)
    monkeypatch.setattr(racing, "has_many_categories", lambda sample: False)
    return race(None, kinds, np.zeros((2, 3)), n_rounds=100, seed=0, n_threads=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("promises", "order"),
    [
        ([0.7, 0.8, 0.75, 0.99], [1, 2, 0]),  # the finer kind lost, so a coarser one runs, and the finest does not
        ([0.99, 0.7, 0.8, 0.75], [2, 3, 1]),  # the finer kinds run until one loses
        ([0.7, 0.8, 0.8003, 0.9], [1, 2, 0]),  # a finer kind must be clearly better
        ([0.81, 0.8, 0.7, 0.9], [0, 1, 2]),
        ([0.1, 0.2, 0.3, 0.4], [3, 2, 1]),
    ],
)
def test_the_race_goes_from_coarse_to_fine(
    promises: list[float], order: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    runners = race_of(dict(zip(STEPS, promises)), monkeypatch, STEPS)
    assert [runner.rung for runner in runners] == order
    for runner in runners:  # only close races are long
        others = [abs(promises[runner.rung] - promises[r.rung]) for r in runners if abs(r.rung - runner.rung) == 1]
        assert runner.boosters.n_rounds == (64 if min(others) < 0.01 else 32)


DRAWING = [*STEPS[:2], *(replace(kind, tree_features=0.5) for kind in STEPS[2:])]


@pytest.mark.parametrize(
    ("promises", "of_all", "order"),
    [
        ([0.7, 0.8, 0.75, 0.99], [0.7505], [1, 6, 2, 0]),  # neither the finer kind nor its like with all features
        ([0.7, 0.8, 0.75, 0.0], [0.85, 0.84], [6, 7, 1, 2, 0]),  # with all features it wins, an even finer one does not
        ([0.7, 0.8, 0.9, 0.0], [0.95, 0.97], [7, 6, 2, 1, 3]),
        ([0.7, 0.8, 0.9, 0.0], [0.9003], [2, 6, 1, 3]),  # it costs more, so it must be clearly better
    ],
)
def test_the_race_tries_all_features_where_kinds_draw_some(
    promises: list[float], of_all: list[float], order: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(zip(DRAWING, promises)) | dict(zip(STEPS[2:], of_all))
    runners = race_of(known, monkeypatch, DRAWING)
    assert [runner.rung for runner in runners] == order


@pytest.mark.parametrize(
    ("promises", "symmetric", "order"),
    [
        ([0.7, 0.8, 0.75, 0.0], 0.81, [4, 1, 2, 0]),
        ([0.7, 0.8, 0.75, 0.0], 0.8003, [1, 4, 2, 0]),  # not clearly better
        ([0.7, 0.8, 0.9, 0.95], 0.99, [3, 2, 1]),  # beside fine trees they do not run
    ],
)
def test_symmetric_trees_run_beside_coarse_ones(
    promises: list[float], symmetric: float, order: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = [*STEPS[:3], replace(STEPS[3], max_leaf_nodes=255)]
    known = dict(zip(ladder, promises)) | {replace(STEPS[0], symmetric=True): symmetric}
    runners = race_of(known, monkeypatch, [*known])
    assert [runner.rung for runner in runners] == order


def test_all_features_win_where_all_matter() -> None:
    """The label is a parity of four bits: half of the features tell nothing about it."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (1500, 4)).astype(float)
    sample = sample_of(X, X.sum(axis=1) % 2 == (rng.random(1500) < 0.1))
    ladder = [Boosting(max_leaf_nodes=leaves, max_features=None, tree_features=0.5) for leaves in (4, 16)]
    runners = race(sample, ladder, folds_of(sample), n_rounds=40, seed=0, n_threads=1)
    assert runners[0].boosters.boosting.tree_features is None
    assert runners[0].promise > 0.85 > 0.6 > max(r.promise for r in runners if r.boosters.boosting.tree_features)


def test_a_part_of_a_very_large_table_runs_and_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(racing, "RACE_ROWS", 500)
    monkeypatch.setattr(racing, "RACE_ROWS_OF_A_CLASS", 20)
    seen = []

    class Watched(racing.Boosters):
        def __init__(self, sample: Sample, kind: Boosting, held_out: np.ndarray, **options: Any) -> None:
            seen.append((sample, held_out))
            super().__init__(sample, kind, held_out, **options)

    monkeypatch.setattr(racing, "Boosters", Watched)
    large = replace(mixed_sample(3, 3000, weighted=True), hold_out=Groups(np.arange(3000, dtype=np.int32) // 2))
    race(large, STEPS, folds_of(large), n_rounds=8, seed=0, n_threads=1)
    part, held_out = seen[0]
    assert [np.count_nonzero(held_out == k) for k in (0, 1)] == [500, 500]
    assert all(one is part and other is held_out for one, other in seen)
    at = [int(np.flatnonzero((large.binned.codes == row).all(axis=1))[0]) for row in part.binned.codes]
    assert at == sorted(at)
    np.testing.assert_array_equal(held_out[0], folds_of(large)[0, at])
    np.testing.assert_array_equal(part.labels, large.labels[at])
    np.testing.assert_array_equal(part.weights, large.weights[at])  # type: ignore[index]


@pytest.mark.parametrize(("share", "n_training"), [(0.4, 500), (0.03, 1000)])
def test_a_rare_class_has_enough_rows_in_the_race(
    share: float, n_training: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(racing, "RACE_ROWS", 500)
    monkeypatch.setattr(racing, "RACE_ROWS_OF_A_CLASS", 30)
    large = mixed_sample(3, 3000, share=share)
    _, held_out = racing._part(large, folds_of(large)[:1], 0)
    assert np.count_nonzero(held_out == 0) == pytest.approx(n_training, rel=0.15)


def test_a_partner_is_not_far_behind() -> None:
    first, near, far = (
        Runner(k, SimpleNamespace(curve=np.array([auc])))  # type: ignore[arg-type]
        for k, auc in enumerate([0.8, 0.7985, 0.79])
    )
    assert partner([first, near, far]) is near
    assert partner([first, far]) is None
    assert partner([first]) is None


@pytest.mark.parametrize(("little", "n_boosters"), [(0.0, 2), (1.1, 4)])
def test_folds_are_joined_where_there_is_little_noise(
    little: float, n_boosters: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = mixed_sample(2, 150)
    monkeypatch.setattr(module, "MANY_ROWS", 100)
    monkeypatch.setattr(module, "_LITTLE_NOISE", little)
    monkeypatch.setattr(racing, "_BEHIND", -1.0)
    joining, given = (
        boost_team(sample, STEPS, folds_of(sample, 4), replace(ROUNDS, joins_folds=joins)) for joins in (True, False)
    )
    assert joining.members[0].trees.n_boosters == n_boosters
    assert given.members[0].trees.n_boosters == 4
    assert not np.isnan(np.asarray(joining.held_out)).any()


@pytest.mark.parametrize("behind", [1.0, -1.0])
def test_two_kinds_share_the_folds_of_a_large_table(behind: float, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = mixed_sample(2, 150)
    monkeypatch.setattr(module, "MANY_ROWS", 100)
    monkeypatch.setattr(racing, "_BEHIND", behind)
    told: list[int] = []
    team = team_of(sample, STEPS, progress=told.append)
    folds, X = folds_of(sample), values_of(sample)
    sizes = [2, 1] if behind > 0 else [3]
    assert [member.trees.n_boosters for member in team.members] == sizes
    assert [member.factor for member in team.members] == [size / 3 for size in sizes]
    assert [trial.weight for trial in team.trials if trial.weight] == [size / 3 for size in sizes]
    assert all(trial.weight == 0.0 for trial in team.trials[len(sizes) :])
    parts = [folds] if behind < 0 else [folds[::2], folds[1::2]]
    if behind < 0:  # folds that leave rows out, and very many rows: half of the boosters will do
        assert boost_team(sample, STEPS, folds_of(sample, 5)[:3], ROUNDS).members[0].trees.n_boosters == 3
        monkeypatch.setattr(module, "VERY_MANY_ROWS", 100)
        assert boost_team(sample, STEPS, folds_of(sample, 5)[:3], ROUNDS).members[0].trees.n_boosters == 2
    total, held_out = np.zeros(150), np.full(150, np.nan)
    for member, trial, out in zip(team.members, team.trials, parts):
        alone = boost_team(sample, [trial.boosting], out, ROUNDS)
        total += member.factor * alone.margin(X)
        known = out.any(axis=0)
        held_out[known] = np.asarray(alone.held_out)[known]
    check_sum(team, total, X)
    np.testing.assert_allclose(np.asarray(team.held_out), held_out, rtol=1e-12)
    assert max(told) <= most_rounds(sample, STEPS, 30, folds) == 4 * 30 + 2 * 30
    assert told == sorted(told)


def test_the_model_is_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = mixed_sample(5, 200)
    monkeypatch.setattr(module, "MANY_ROWS", 100)
    one, three = (boost_team(sample, STEPS, folds_of(sample), Rounds(20, 10, 4, threads)) for threads in (1, 3))
    assert one.trials == three.trials
    np.testing.assert_array_equal(one.margin(values_of(sample)), three.margin(values_of(sample)))
