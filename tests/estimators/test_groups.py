"""Groups in `fit`: folds, bags and figures keep them together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, PredefinedSplit, cross_val_score

from rankforest import (
    BestInstances,
    Dyadic,
    FalseAlarmConstrained,
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
from rankforest.data.customers import customers
from rankforest.data.folds import Folds
from rankforest.data.hold_out import Groups
from rankforest.data.sample import Sample
from rankforest.forest.groves import Grove
from rankforest.growing.treerank import grow_by_rule, grow_tree
from rankforest.metrics import roc_auc

ROWS = customers(150, 4, random_state=1)
LEVELS = np.clip(np.round(ROWS.X[:, 0] + ROWS.y), -1, 2).astype(int)

MODELS: dict[str, Callable[[], Any]] = {
    "readable tree": lambda: TreeRank(random_state=0),
    "tree of cuts": lambda: TreeRank(LeafRank(max_depth=2), pruning=Pruning("cv-1se", n_folds=4), random_state=0),
    "dyadic tree": lambda: TreeRank(Dyadic(), max_depth=3, random_state=0),
    "forest": lambda: RankingForest(30, random_state=0),
    "forest without replacement": lambda: RankingForest(30, sampling=Sampling(0.6, replace=False), random_state=0),
    "pruned forest": lambda: RankingForest(6, splitter=LeafRank(), pruning=Pruning("cv", n_folds=3), random_state=0),
    "boosting": lambda: RankBoost(40, random_state=0),
    "thresholds": lambda: ThresholdRankBoost(20, n_folds=3, random_state=0),
    "consensus": lambda: RankConsensus(RankingForest(20), RankBoost(20), random_state=0),
    "scorecard": lambda: RankScore(n_estimators=60, pairs=1, random_state=0),
    "ordinal tree": lambda: OrdinalRankingTree(random_state=0),
    "ordinal forest": lambda: OrdinalRankingForest(20, random_state=0),
}


def labels_of(model: Any) -> np.ndarray:
    return LEVELS if model.ordered else ROWS.y


# ---- the property


@pytest.fixture
def splits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[int], set[int]]]:
    """Groups that each model of a fit learns from, and groups that judge it, as they pass the seam."""
    sides: list[tuple[set[int], set[int]]] = []
    parts, ordered, boosters, bags = Groups.parts, Groups.ordered_folds, Sample.boosters, Grove.out_of_bag

    def note(groups: np.ndarray, folds: Folds | None) -> Folds | None:
        for fold in range(0 if folds is None else folds.n_folds):
            sides.append((set(groups[folds.seen(fold)]), set(groups[folds.held_out(fold)])))  # type: ignore[union-attr]
        return folds

    def boosters_of(self: Sample, held_out: np.ndarray, *rest: Any) -> Any:
        assert self.hold_out.groups is not None
        sides.extend((set(self.hold_out.groups[out == 0]), set(self.hold_out.groups[out == 1])) for out in held_out)
        return boosters(self, held_out, *rest)

    def bags_of(self: Grove, draw: Any, labels: np.ndarray, n_threads: int) -> np.ndarray:
        found = bags(self, draw, labels, n_threads)
        for number, bits in enumerate(found):
            drawn = draw.times(labels, self.first_tree + number) > 0
            np.testing.assert_array_equal(np.unpackbits(bits, bitorder="little")[: len(labels)], ~drawn)
            sides.append((set(draw.groups[drawn]), set(draw.groups[~drawn])))
        return found

    monkeypatch.setattr(Groups, "parts", lambda self, *how: note(self.codes, parts(self, *how)))
    monkeypatch.setattr(Groups, "ordered_folds", lambda self, *how: note(self.codes, ordered(self, *how)))
    monkeypatch.setattr(Sample, "boosters", boosters_of)
    monkeypatch.setattr(Grove, "out_of_bag", bags_of)
    return sides


@pytest.mark.parametrize("name", MODELS)
def test_no_group_is_on_both_sides_of_a_split(name: str, splits: list[tuple[set[int], set[int]]]) -> None:
    model = MODELS[name]()
    model.fit(ROWS.X, labels_of(model), groups=ROWS.groups)
    assert splits
    assert not any(seen & out for seen, out in splits)
    assert any(seen and out for seen, out in splits)
    assert model.holding_out == "150 groups kept together"


@pytest.mark.parametrize("weighted", [False, True])
def test_inner_folds_of_the_core_are_those_of_python(weighted: bool) -> None:
    """Pruned LeafRank keeps groups together in its inner folds: the core grows the tree of the loop in Python."""
    model = TreeRank(LeafRank(pruning="cv", min_mass_leaf=0.01), max_depth=3, random_state=0)
    weights = np.random.default_rng(0).integers(1, 4, size=len(ROWS.y)) if weighted else None
    training = model._reading(ROWS.X, ROWS.y, weights, ROWS.groups)
    ours = grow_tree(training.sample, training.growth, seed=3)
    theirs = grow_by_rule(training.sample, training.growth, seed=3)
    apart = grow_tree(model._reading(ROWS.X, ROWS.y, weights).sample, training.growth, seed=3)
    assert ours.n_leaves > 2
    np.testing.assert_array_equal(ours.apply(ROWS.X), theirs.apply(ROWS.X))
    np.testing.assert_array_equal(ours.cell_mass, theirs.cell_mass)
    assert ours.cell_mass.tolist() != apart.cell_mass.tolist()


def test_bags_have_whole_groups_and_about_as_many_rows() -> None:
    forest = RankingForest(40, splitter=LeafRank(), random_state=0).fit(ROWS.X, ROWS.y, groups=ROWS.groups)
    sizes = []
    for tree in range(40):
        times = forest._draw.times(forest._rows.labels, tree)
        assert all(len(set(times[ROWS.groups == g])) == 1 for g in range(150))
        assert (
            forest.trees_[tree].cell_count[0] == (times > 0).sum() or forest.trees_[tree].cell_count[0] == times.sum()
        )
        sizes.append(times.sum())
    assert np.mean(sizes) == pytest.approx(len(ROWS.y), rel=0.02)
    half = RankingForest(3, splitter=LeafRank(), sampling=0.5).fit(ROWS.X, ROWS.y, groups=ROWS.groups)
    assert half._draw.times(forest._rows.labels, 0).sum() == 300


def test_groups_of_one_row_each_are_still_a_bootstrap_sample() -> None:
    one = RankingForest(20, splitter=LeafRank(), random_state=0)
    alone = one.fit(ROWS.X, ROWS.y, groups=np.arange(len(ROWS.y))).oob_scores_
    np.testing.assert_array_equal(alone, one.fit(ROWS.X, ROWS.y).oob_scores_)


def test_halves_of_category_tables_keep_groups_together() -> None:
    """Rows are put into halves by their numbers, and those of a group have the same."""
    sample = RankBoost()._reading(ROWS.X, ROWS.y, None, ROWS.groups).sample
    rows = np.arange(1, len(ROWS.y), 3)
    numbers = sample.states_of(lambda codes, labels, weights, numbers: numbers, rows)
    of_group = {group: set(numbers[ROWS.groups[rows] == group]) for group in set(ROWS.groups[rows])}
    assert all(len(each) == 1 for each in of_group.values())
    assert len(set.union(*of_group.values())) == len(of_group)
    apart = RankBoost()._reading(ROWS.X, ROWS.y, None).sample
    assert apart.states_of(lambda codes, labels, weights, numbers: numbers, rows) is rows


def test_weights_are_respected() -> None:
    """A row of weight 0 is as if it were not there, and so is its group; a weight of 2 is two rows of a group."""
    kept = ROWS.groups % 7 != 0
    for make in (MODELS["readable tree"], MODELS["boosting"], MODELS["forest"], MODELS["scorecard"]):
        left_out = make().fit(ROWS.X, ROWS.y, sample_weight=kept.astype(float), groups=ROWS.groups)
        never = make().fit(ROWS.X[kept], ROWS.y[kept], groups=ROWS.groups[kept])
        np.testing.assert_array_equal(left_out.score_samples(ROWS.X), never.score_samples(ROWS.X))
        assert left_out.holding_out == never.holding_out


# ---- the reason


def held_out_auc(model: Any) -> float:
    return float(model.figures()["held_out_auc"] if isinstance(model, TreeRank) else model.held_out_scores().auc)


@pytest.mark.parametrize(
    ("make", "optimism"),
    [
        (lambda: RankingForest(100, random_state=0), 0.1),
        (lambda: RankBoost(150, random_state=0), 0.03),
        (lambda: TreeRank(size="best", random_state=0), 0.03),
        (lambda: RankScore(random_state=0), 0.02),
        (lambda: RankConsensus(RankingForest(60), RankBoost(60), random_state=0), 0.03),
    ],
)
def test_held_out_auc_with_groups_is_that_of_fresh_customers(make: Callable[[], Any], optimism: float) -> None:
    """Without groups it is too good: the rows of a customer look alike, and a model that saw one knows the others."""
    rows, fresh = customers(400, 5, random_state=2), customers(4000, 1, random_state=3)
    plain, grouped = make().fit(rows.X, rows.y), make().fit(rows.X, rows.y, groups=rows.groups)
    truth = roc_auc(fresh.y, plain.score_samples(fresh.X))
    assert held_out_auc(plain) - truth > optimism
    # 400 customers, of whom about half are positive: the standard error of an AUC of .75 is about .025
    assert abs(held_out_auc(grouped) - roc_auc(fresh.y, grouped.score_samples(fresh.X))) < 0.025


# ---- how it is given and told


@pytest.mark.parametrize("name", ["readable tree", "forest", "boosting", "consensus", "scorecard", "ordinal tree"])
def test_model_files_say_how_rows_were_held_out(name: str, tmp_path: Path) -> None:
    model = MODELS[name]()
    model.fit(ROWS.X, labels_of(model), groups=pd.Series(ROWS.groups, name="customer"))
    save_model(model, tmp_path / "model")
    loaded: Any = load_model(tmp_path / "model")
    assert loaded.holding_out == model.holding_out == "150 groups of customer kept together"
    assert "150 groups of customer kept together" in str(loaded.summary_)
    np.testing.assert_array_equal(loaded.score_samples(ROWS.X), model.score_samples(ROWS.X))
    if name == "forest":
        assert "150 groups of customer kept together" in str(model.describe())
        rows = np.arange(0, 600, 7)
        ours, theirs = (each.voters().unseen(forest_labels(model), rows) for each in (model, loaded))
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("make", "given"),
    [(MODELS["forest"], {"groups": ROWS.groups}), (MODELS["boosting"], {"time": np.arange(len(ROWS.y))})],
)
def test_files_for_scoring_have_neither_groups_nor_folds(
    make: Callable[[], Any], given: dict[str, np.ndarray], tmp_path: Path
) -> None:
    model = make().fit(ROWS.X, ROWS.y, **given)
    save_model(model, tmp_path / "small", for_scoring=True)
    loaded: Any = load_model(tmp_path / "small")
    np.testing.assert_array_equal(loaded.score_samples(ROWS.X), model.score_samples(ROWS.X))
    assert loaded.holding_out == model.holding_out
    save_model(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "small").read_bytes()


def forest_labels(model: Any) -> np.ndarray:
    return model._rows.labels  # type: ignore[no-any-return]


def test_a_warm_start_needs_the_same_groups() -> None:
    forest = RankingForest(5, splitter=LeafRank(), warm_start=True, random_state=0)
    forest.fit(ROWS.X, ROWS.y, groups=ROWS.groups)
    more = forest.set_params(n_estimators=10).fit(ROWS.X, ROWS.y, groups=ROWS.groups)
    once = RankingForest(10, splitter=LeafRank(), random_state=0).fit(ROWS.X, ROWS.y, groups=ROWS.groups)
    np.testing.assert_array_equal(more.oob_scores_, once.oob_scores_)
    with pytest.raises(ValueError, match="warm_start adds trees to a forest of the same data"):
        forest.set_params(n_estimators=12).fit(ROWS.X, ROWS.y, groups=ROWS.groups % 50)


@pytest.mark.parametrize("name", ["readable tree", "forest", "boosting", "scorecard"])
def test_streams_name_a_column(name: str) -> None:
    frame = pd.DataFrame(ROWS.X, columns=list("abcdef")).assign(label=ROWS.y, customer=ROWS.groups)
    features = frame[list("abcdef")]

    def batches() -> Any:
        return (frame.iloc[start : start + 130] for start in range(0, len(frame), 130))

    streamed = MODELS[name]().fit(Stream(batches), "label", groups="customer")
    whole = MODELS[name]().fit(features, ROWS.y, groups=frame["customer"])
    np.testing.assert_array_equal(streamed.score_samples(features), whole.score_samples(features))
    assert streamed.holding_out == whole.holding_out == "150 groups of customer kept together"
    assert list(streamed.feature_names_in_) == list("abcdef")
    with pytest.raises(ValueError, match="y and groups are the same column"):
        MODELS[name]().fit(Stream(batches), "label", groups="label")


def test_bad_groups_are_said_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankforest.estimators._table_model.find_bins", lambda *_, **__: pytest.fail("work"))
    few = ROWS.groups % 4
    with pytest.raises(ValueError, match="10 folds need at least 10 groups, and there are 4; set n_folds lower"):
        TreeRank(pruning="cv").fit(ROWS.X, ROWS.y, groups=few)
    with pytest.raises(ValueError, match="X has 600 rows but groups has 3 groups"):
        RankBoost().fit(ROWS.X, ROWS.y, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="All rows of one class are in a single group"):
        RankingForest().fit(ROWS.X, ROWS.y, groups=np.where(ROWS.y == 1, -1, ROWS.groups))
    with pytest.raises(ValueError, match="classes of sampling is 'balanced', and whole groups are not drawn class by"):
        RankingForest(sampling=Sampling(classes="balanced")).fit(ROWS.X, ROWS.y, groups=ROWS.groups)


# ---- flags


class Recorder(RankBoost):
    """A booster that remembers what its fits were given."""

    seen: ClassVar[list[tuple[np.ndarray, Any]]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> Any:
        Recorder.seen.append((np.asarray(X)[:, -1], groups))
        return super().fit(X, y, sample_weight, groups=groups, time=time)


@pytest.mark.parametrize(
    "make",
    [
        lambda model: BestInstances(model, top=0.2, cv=3, random_state=0),
        lambda model: BestInstances(model, budget=10, held_out=0.4, random_state=0),
        lambda model: FalseAlarmConstrained(model, alpha=0.2, held_out=0.4, random_state=0),
    ],
)
def test_flags_hold_out_whole_groups(make: Callable[[Any], Any]) -> None:
    """No group is in part in the rows of a fit, and the models of the fits know their groups."""
    X = np.column_stack([ROWS.X, ROWS.groups])
    Recorder.seen.clear()
    flags = make(Recorder(10, n_folds=2, random_state=0)).fit(X, ROWS.y, groups=ROWS.groups)
    sizes = np.bincount(ROWS.groups)
    for drawn, groups in Recorder.seen:
        found, counts = np.unique(drawn, return_counts=True)
        np.testing.assert_array_equal(counts, sizes[found.astype(int)])
        assert len(np.unique(groups)) == len(found)
    partial = [len(drawn) for drawn, _ in Recorder.seen if len(drawn) < len(X)]
    assert partial
    assert all(0.5 * len(X) < n < 0.7 * len(X) for n in partial)
    assert "groups kept together" in str(flags.summary_)


def test_flags_hold_out_later_rows() -> None:
    X = np.column_stack([ROWS.X, np.arange(len(ROWS.y))])
    Recorder.seen.clear()
    model = Recorder(10, n_folds=2, random_state=0)
    BestInstances(model, budget=10, held_out=0.25).fit(X, ROWS.y, time=np.arange(len(ROWS.y)))
    ((drawn, _),) = Recorder.seen
    assert drawn.max() == len(drawn) - 1 == 449
    forest = RankingForest(10, splitter=LeafRank(max_depth=2), random_state=0)
    flagger = BestInstances(forest, top=0.1).fit(X, ROWS.y, time=np.arange(len(ROWS.y)))
    assert flagger.estimator_.holding_out == "each row after those learned from"


def test_a_splitter_in_place_of_groups() -> None:
    """Its test rows are kept together, by forests too."""
    folds = np.arange(len(ROWS.y)) % 4
    splits = list(GroupKFold(4).split(ROWS.X, ROWS.y, ROWS.groups))
    for given, codes in ((PredefinedSplit(folds), folds), (splits, None)):
        model = RankBoost(10, loss="log_loss", n_folds=4, random_state=0).fit(ROWS.X, ROWS.y, groups=given)
        assert model.holding_out == f"4 groups of {'splits' if codes is None else 'PredefinedSplit'} kept together"
        if codes is not None:
            twin = RankBoost(10, loss="log_loss", n_folds=4, random_state=0).fit(ROWS.X, ROWS.y, groups=codes)
            np.testing.assert_array_equal(model.held_out_scores_, twin.held_out_scores_)


# ---- scikit-learn


def test_a_plain_argument_works_without_routing() -> None:
    model = RankBoost(20, random_state=0)
    found = cross_val_score(
        model, ROWS.X, ROWS.y, cv=GroupKFold(3), groups=ROWS.groups, params={"groups": ROWS.groups}, scoring="roc_auc"
    )
    seen, out = next(iter(GroupKFold(3).split(ROWS.X, ROWS.y, ROWS.groups)))
    model.fit(ROWS.X[seen], ROWS.y[seen], groups=ROWS.groups[seen])
    assert found[0] == pytest.approx(roc_auc(ROWS.y[out], model.score_samples(ROWS.X[out])))


def test_groups_are_routed() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = RankBoost(20, random_state=0).set_fit_request(groups=True)
        found = cross_val_score(
            model, ROWS.X, ROWS.y, cv=GroupKFold(3), params={"groups": ROWS.groups}, scoring="roc_auc"
        )
        seen, out = next(iter(GroupKFold(3).split(ROWS.X, ROWS.y, ROWS.groups)))
        model.fit(ROWS.X[seen], ROWS.y[seen], groups=ROWS.groups[seen])
        assert found[0] == pytest.approx(roc_auc(ROWS.y[out], model.score_samples(ROWS.X[out])))
        search = GridSearchCV(model, {"max_leaf_nodes": [4, 8]}, cv=GroupKFold(3))
        search.fit(ROWS.X, ROWS.y, groups=ROWS.groups)
        assert search.best_estimator_.holding_out == "150 groups kept together"
        unasked = RankBoost(20, random_state=0)
        with pytest.raises(Exception, match="groups"):
            cross_val_score(unasked, ROWS.X, ROWS.y, cv=3, params={"groups": ROWS.groups})
