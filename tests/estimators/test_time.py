"""Times in `fit`: models are judged on later rows than those that they learned from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedGroupKFold, TimeSeriesSplit

from rankforest import (
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    Pruning,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    Sampling,
    Stream,
    ThresholdRankBoost,
    TreeRank,
    load_model,
    save_model,
)
from rankforest.data.customers import drift
from rankforest.data.folds import Folds
from rankforest.data.hold_out import Forward
from rankforest.data.sample import Sample
from rankforest.data.splitters import blocks_of_splits
from rankforest.metrics import roc_auc
from rankforest.scorecard.pairs import learn_pairs

ROWS = drift(90, 8, random_state=0)
LEVELS = np.clip(np.round(ROWS.X[:, 0] + ROWS.y), -1, 2).astype(int)

MODELS: dict[str, Callable[[], Any]] = {
    "readable tree": lambda: TreeRank(random_state=0),
    "tree of cuts": lambda: TreeRank(LeafRank(max_depth=2), pruning=Pruning("cv", n_folds=4), random_state=0),
    "boosting": lambda: RankBoost(40, random_state=0),
    "one kind": lambda: RankBoost(
        40, loss="log_loss", max_leaf_nodes=8, max_features=None, cuts="best", min_samples_leaf=5, l2=1.0,
        learning_rate=0.1, subsample=0.7, n_folds=3, random_state=0,
    ),
    "thresholds": lambda: ThresholdRankBoost(20, n_folds=3, random_state=0),
    "scorecard": lambda: RankScore(n_estimators=60, random_state=0),
    "scorecard of pairs": lambda: RankScore(pairs=2, n_estimators=60, random_state=0),
    "ordinal tree": lambda: OrdinalRankingTree(random_state=0),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_no_model_learns_from_rows_after_those_that_judge_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    splits: list[tuple[np.ndarray, np.ndarray]] = []
    folds, at_most, ordered, boosters = Forward.folds, Forward.folds_at_most, Forward.ordered_folds, Sample.boosters

    def note(times: np.ndarray, found: Folds | None) -> Folds | None:
        for fold in range(0 if found is None else found.n_folds):
            splits.append((times[found.seen(fold)], times[found.held_out(fold)]))  # type: ignore[union-attr]
        return found

    def boosters_of(self: Sample, held_out: np.ndarray, *rest: Any) -> Any:
        assert self.hold_out.groups is not None
        for out in held_out:
            if out.any() and judged:
                splits.append((self.hold_out.groups[out == 0], self.hold_out.groups[out == 1]))
        return boosters(self, held_out, *rest)

    judged = not name.startswith("scorecard")  # the final shapes of a scorecard come from bags that leave out any times
    monkeypatch.setattr(Forward, "folds", lambda self, *how: note(self.codes, folds(self, *how)))
    monkeypatch.setattr(Forward, "folds_at_most", lambda self, *how: note(self.codes, at_most(self, *how)))
    monkeypatch.setattr(Forward, "ordered_folds", lambda self, *how: note(self.codes, ordered(self, *how)))
    monkeypatch.setattr(Sample, "boosters", boosters_of)
    model = MODELS[name]()
    model.fit(ROWS.X, LEVELS if model.ordered else ROWS.y, time=ROWS.time)
    assert splits
    assert all(seen.max() < out.min() for seen, out in splits)
    assert model.holding_out == "each row after those learned from"


@pytest.mark.parametrize("name", ["boosting", "one kind", "scorecard", "scorecard of pairs"])
def test_held_out_scores_are_of_later_rows(name: str) -> None:
    """Rows of the first block have none. The AUC compares rows that the same model judges."""
    model = MODELS[name]().fit(ROWS.X, ROWS.y, time=ROWS.time)
    scores = model.held_out_scores_
    first = np.isnan(scores)
    assert 0 < first.mean() < 0.35
    assert ROWS.time[first].max() < ROWS.time[~first].min()
    blocks = model.held_out_scores().blocks
    assert (blocks[first] == -1).all()
    each = [roc_auc(ROWS.y[blocks == block], scores[blocks == block]) for block in range(blocks.max() + 1)]
    assert model.held_out_auc_ == pytest.approx(np.mean(each))


def test_tables_of_pairs_of_a_bag_come_from_the_rows_that_it_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the card come from all rows."""
    asked: list[tuple[np.ndarray, np.ndarray]] = []

    def noted(codes: np.ndarray, labels: np.ndarray, *rest: Any, **more: Any) -> Any:
        asked.append((codes, labels))
        return learn_pairs(codes, labels, *rest, **more)

    monkeypatch.setattr("rankforest.scorecard.learn.learn_pairs", noted)
    y = (ROWS.X[:, 0] * ROWS.X[:, 1] + 0.3 * np.random.default_rng(0).normal(size=len(ROWS.y)) > 0).astype(int)
    card = RankScore(pairs=1, n_estimators=40, random_state=0).fit(ROWS.X, y, time=ROWS.time)
    assert [pair.features for pair in card.card_.pairs] == [(0, 1)]
    blocks = card.held_out_scores().blocks
    (_, all_labels), *of_bags = asked
    assert len(all_labels) == len(y)
    assert len(of_bags) == blocks.max() + 1
    codes = card._reading(ROWS.X, y, None, None, ROWS.time).sample.binned.codes
    for block, (seen, labels) in enumerate(of_bags):
        earlier = ROWS.time < ROWS.time[blocks == block].min()
        np.testing.assert_array_equal(seen, codes[earlier])
        np.testing.assert_array_equal(labels, y[earlier])
    later = drift(90, 8, first_day=90, random_state=5)
    fresh = roc_auc((later.X[:, 0] * later.X[:, 1] > 0).astype(int), card.score_samples(later.X))
    assert card.held_out_auc_ == pytest.approx(fresh, abs=0.1)
    assert card.held_out_auc_ > 0.8  # without tables there is nothing to see
    alone = RankScore(n_estimators=40, random_state=0).fit(ROWS.X, y, time=ROWS.time)
    assert alone.held_out_auc_ < 0.65


def test_the_model_of_boosting_has_learned_from_the_last_rows() -> None:
    """The boosters that are judged have not: so they are not the model."""
    model = MODELS["one kind"]().fit(ROWS.X, ROWS.y, time=ROWS.time)
    flipped = np.where(ROWS.time >= 85, 1 - ROWS.y, ROWS.y)
    other = MODELS["one kind"]().fit(ROWS.X, flipped, time=ROWS.time)
    last = ROWS.time >= 85
    assert not np.array_equal(model.score_samples(ROWS.X[last]), other.score_samples(ROWS.X[last]))
    assert model.team_.members[0].trees.n_boosters == 3
    assert model.score_samples(ROWS.X).shape == ROWS.y.shape
    assert 0.0 < model.predict_proba(ROWS.X).min() < model.predict_proba(ROWS.X).max() < 1.0


@pytest.mark.parametrize(
    ("make", "optimism"),
    [
        (lambda: RankBoost(100, random_state=0), 0.07),
        (lambda: RankScore(random_state=0), 0.02),
        (lambda: RankingForest(150, random_state=0), 0.07),
    ],
)
def test_held_out_auc_with_time_is_that_of_later_rows(make: Callable[[], Any], optimism: float) -> None:
    """Without times it is too good: a model that saw some rows of a week knows the effect of that week."""
    rows, later = drift(210, 10, random_state=2), drift(1400, 2, first_day=210, random_state=102)

    def held_out_auc(model: Any) -> float:
        return float(model.held_out_scores().auc)

    plain, forward = make().fit(rows.X, rows.y), make().fit(rows.X, rows.y, time=rows.time)
    truth = roc_auc(later.y, forward.score_samples(later.X))
    assert held_out_auc(plain) - truth > optimism
    assert abs(held_out_auc(forward) - truth) < 0.03


def test_dates_are_times() -> None:
    days = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(ROWS.time, unit="D"), name="day")
    model = RankScore(n_estimators=40, random_state=0)
    by_date = model.fit(ROWS.X, ROWS.y, time=days).held_out_scores_
    assert model.holding_out == "each row after those learned from, by day"
    np.testing.assert_array_equal(by_date, model.fit(ROWS.X, ROWS.y, time=ROWS.time).held_out_scores_)


def test_model_files_and_streams(tmp_path: Path) -> None:
    frame = pd.DataFrame(ROWS.X, columns=list("abcd")).assign(label=ROWS.y, day=ROWS.time)
    stream = Stream(lambda: (frame.iloc[start : start + 200] for start in range(0, len(frame), 200)))
    streamed = MODELS["one kind"]().fit(stream, "label", time="day")
    whole = MODELS["one kind"]().fit(frame[list("abcd")], ROWS.y, time=frame["day"])
    np.testing.assert_array_equal(streamed.held_out_scores_, whole.held_out_scores_)
    save_model(streamed, tmp_path / "model")
    assert load_model(tmp_path / "model").holding_out == "each row after those learned from, by day"


# ---- forests: trees of earlier rows judge, trees of all rows are the model


def one_kind_forest(**more: Any) -> RankingForest:
    return RankingForest(20, splitter=LeafRank(max_depth=4), max_depth=2, random_state=0, **more)


FORESTS: dict[str, Callable[[], Any]] = {
    "one kind": one_kind_forest,
    "balanced": lambda: one_kind_forest(sampling=Sampling(classes="balanced")),
    "kinds": lambda: RankingForest(30, random_state=0),
    "ordinal": lambda: OrdinalRankingForest(20, cuts="best", max_features="sqrt", min_samples_leaf=5, random_state=0),
    "consensus": lambda: RankConsensus(one_kind_forest(), MODELS["one kind"](), weights=(1, 1), random_state=0),
}


def judged(model: Any) -> np.ndarray:
    return model.held_out_scores_ if isinstance(model, RankConsensus) else model.oob_scores_


@pytest.mark.parametrize("name", FORESTS)
def test_forests_are_judged_by_trees_of_earlier_rows(name: str, tmp_path: Path) -> None:
    """Other labels of the last block change no score of the blocks before, but the model."""
    make = FORESTS[name]
    y = LEVELS if name == "ordinal" else ROWS.y
    model = make().fit(ROWS.X, y, time=ROWS.time)
    assert model.holding_out == "each row after those learned from"
    scores, blocks = judged(model), model._blocks
    first = blocks < 0
    np.testing.assert_array_equal(np.isnan(scores), first)
    assert ROWS.time[first].max() < ROWS.time[~first].min()
    last = blocks == blocks.max()
    if name != "ordinal":
        held_out = model.held_out_scores()
        each = [roc_auc(y[blocks == block], scores[blocks == block]) for block in range(blocks.max() + 1)]
        assert held_out.auc == pytest.approx(np.mean(each))
        assert np.array_equal(held_out.blocks, blocks)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.score_samples(ROWS.X), model.score_samples(ROWS.X))
    np.testing.assert_array_equal(loaded._blocks, blocks)
    if name == "kinds":  # whose choice depends on all labels
        assert sum(trial.kept for trial in model.trials_) == len(model._groves)
        return
    other = y.copy()
    for day in np.unique(ROWS.time[last]):  # each keeps its number of labels, so the blocks are the same
        other[ROWS.time == day] = np.roll(other[ROWS.time == day], 1)
    changed = make().fit(ROWS.X, other, time=ROWS.time)
    if name == "consensus":  # its scale depends on all held-out scores
        model, changed, scores = model.forest_, changed.forest_, model.forest_.oob_scores_
    np.testing.assert_array_equal(changed._blocks, model._blocks)
    np.testing.assert_array_equal(judged(changed), scores)
    assert not np.array_equal(model.score_samples(ROWS.X), changed.score_samples(ROWS.X))


def test_what_is_computed_later_is_forward_too() -> None:
    model = one_kind_forest().fit(ROWS.X, ROWS.y, time=ROWS.time)
    before = model.oob_auc_
    assert (model.set_aggregation("mean_rank").oob_auc_, np.isnan(model.oob_scores_).any()) != (before, False)
    assert model.set_aggregation("proba").oob_auc_ == before
    fresh = model.oob_scores_as_of_fresh_rows()
    np.testing.assert_array_equal(np.isnan(fresh), model._blocks < 0)
    assert model.oob_pair_auc().n_pairs == sum(
        int(np.prod(np.bincount(ROWS.y[model._blocks == block]))) for block in range(model._blocks.max() + 1)
    )
    drops = model.oob_permutation_importance(n_repeats=1)
    assert drops.baseline == pytest.approx(before)


def test_weights_of_zero_and_forests() -> None:
    weights = np.where(np.arange(len(ROWS.y)) % 7 == 0, 0.0, 1.0)
    model = one_kind_forest().fit(ROWS.X, ROWS.y, weights, time=ROWS.time)
    assert (model._blocks[weights == 0] == -1).all()
    assert np.isnan(model.oob_scores_[weights == 0]).all()
    np.testing.assert_array_equal(np.isnan(model.oob_scores_), model._blocks < 0)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (RankingForest(warm_start=True), "warm_start adds no trees to a forest that is judged forward in time"),
        (RankingForest(aggregation="kemeny"), "aggregation is 'kemeny', a median ranking of the training rows"),
        (RankingForest(pruning="cv"), "Trees that are pruned are not judged forward in time; set pruning to None"),
    ],
)
def test_forests_refuse_what_cannot_go_forward(model: Any, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankforest.estimators._table_model.find_bins", lambda *_, **__: pytest.fail("work"))
    with pytest.raises(ValueError, match=said):
        model.fit(ROWS.X, ROWS.y, time=ROWS.time)


def test_a_refresh_of_a_forest_refuses_times() -> None:
    model = one_kind_forest().fit(ROWS.X, ROWS.y)
    with pytest.raises(ValueError, match="time is given, and the new trees of a refresh are judged by"):
        model.refresh(ROWS.X, ROWS.y, time=ROWS.time)


# ---- splitters


def test_a_splitter_in_place_of_times() -> None:
    """The rows are in the order of time; its test rows are the blocks."""
    even, late = TimeSeriesSplit(3), TimeSeriesSplit(3, test_size=60)
    for splitter in (even, late):
        blocks = blocks_of_splits(splitter, len(ROWS.y), None)
        boost = MODELS["one kind"]().fit(ROWS.X, ROWS.y, time=splitter)
        assert boost.holding_out == "each row after those learned from, by TimeSeriesSplit"
        for block in range(3):  # the boosters are numbered from the last one
            assert len(np.unique(boost._blocks[blocks == block + 1])) == 1
        np.testing.assert_array_equal(boost._blocks < 0, blocks == 0)
        forest = one_kind_forest().fit(ROWS.X, ROWS.y, time=list(splitter.split(ROWS.X)))
        np.testing.assert_array_equal(forest._blocks, blocks - 1)
    by_blocks = MODELS["one kind"]().fit(ROWS.X, ROWS.y, time=blocks_of_splits(even, len(ROWS.y), None))
    by_splitter = MODELS["one kind"]().fit(ROWS.X, ROWS.y, time=even)
    np.testing.assert_array_equal(by_splitter.held_out_scores_, by_blocks.held_out_scores_)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"time": TimeSeriesSplit(3, gap=2)}, "time is TimeSeriesSplit.gap=2.*not all rows before its test rows"),
        ({"time": TimeSeriesSplit(3, max_train_size=50)}, "whose training rows are not all rows before its test rows"),
        ({"time": KFold(3)}, "time is KFold.*give a splitter such as TimeSeriesSplit"),
        ({"groups": ShuffleSplit(3)}, "groups is ShuffleSplit.*give a splitter such as KFold"),
        ({"groups": TimeSeriesSplit(3)}, "groups is TimeSeriesSplit.*whose test rows are not each row once"),
        ({"groups": StratifiedGroupKFold(5)}, r"cannot split the rows by itself.*; give the values that it splits by"),
        ({"groups": GroupKFold(3)}, "groups is GroupKFold.*cannot split the rows by itself.*groups=customer"),
        ({"groups": [(np.array([0.5]), np.array([1]))]}, "groups has splits that are no row numbers from 0 to 719"),
    ],
)
def test_splitters_that_do_not_suit_are_refused(
    given: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankforest.estimators._table_model.find_bins", lambda *_, **__: pytest.fail("work"))
    with pytest.raises(ValueError, match=said):
        RankBoost().fit(ROWS.X, ROWS.y, **given)


def test_what_cannot_go_forward_is_said_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankforest.estimators._table_model.find_bins", lambda *_, **__: pytest.fail("work"))
    with pytest.raises(ValueError, match="groups and time are both given"):
        RankBoost().fit(ROWS.X, ROWS.y, time=ROWS.time, groups=ROWS.time)
    with pytest.raises(ValueError, match="No time has rows of both classes before it and from it on"):
        RankBoost().fit(ROWS.X, ROWS.y, time=ROWS.y)
    with pytest.raises(ValueError, match="10 folds forward in time need 11 blocks of adjacent times"):
        TreeRank(pruning="cv").fit(ROWS.X, ROWS.y, time=ROWS.time // 20)
