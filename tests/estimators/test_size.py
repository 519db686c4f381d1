"""TreeRank(size=...): a tree to read, the best one, and the plain one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rankforest import LeafRank, Pruning, TreeRank, load_model, save_model
from rankforest.data import simulate
from rankforest.data.folds import Folds
from rankforest.growing import distilled
from rankforest.growing.chosen_size import ChosenSize
from rankforest.growing.soft_labels import soft_labels
from rankforest.metrics import local_auc, roc_auc
from rankforest.tree.rules import stratum_rule
from spread_fits import fit_spread

TRAIN, TEST = simulate.rf10_sparse(700, random_state=0), simulate.rf10_sparse(2000, random_state=1)


@pytest.fixture(scope="module")
def readable() -> TreeRank:
    return TreeRank(random_state=0).fit(TRAIN.X, TRAIN.y)


@pytest.fixture(scope="module")
def best() -> TreeRank:
    return TreeRank(size="best", random_state=0).fit(TRAIN.X, TRAIN.y)


# ---- what is asked for


@pytest.mark.parametrize(
    "given",
    [
        {"splitter": LeafRank()},
        {"max_depth": 10},
        {"max_depth": None},
        {"max_leaf_nodes": 5},
        {"pruning": Pruning("cv", n_folds=3), "splitter": LeafRank()},
    ],
    ids=str,
)
def test_a_plain_tree_is_asked_for_by_its_parameters(given: dict) -> None:
    short = TreeRank(random_state=0, **given).fit(TRAIN.X, TRAIN.y)
    explicit = TreeRank(random_state=0, size=None, **given).fit(TRAIN.X, TRAIN.y)
    assert not isinstance(short.pruning_, ChosenSize)
    np.testing.assert_array_equal(short.score_samples(TEST.X), explicit.score_samples(TEST.X))


def test_the_default_is_readable(readable: TreeRank) -> None:
    same = TreeRank(size="readable", random_state=0).fit(TRAIN.X, TRAIN.y)
    np.testing.assert_array_equal(same.score_samples(TEST.X), readable.score_samples(TEST.X))
    plain = TreeRank(size=None, random_state=0).fit(TRAIN.X, TRAIN.y)
    of_depth = TreeRank(max_depth=10, random_state=0).fit(TRAIN.X, TRAIN.y)
    np.testing.assert_array_equal(plain.score_samples(TEST.X), of_depth.score_samples(TEST.X))
    assert plain.tree_.n_leaves > readable.tree_.n_leaves


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (TreeRank(size="small"), r"size is 'small'; choose 'readable', 'best', 'auto' or None\."),
        (TreeRank(LeafRank(), size="best"), "size is 'best', and splitter is for plain trees; leave splitter None, or"),
        (TreeRank(size="readable", pruning="cv"), "size is 'readable', and pruning is for plain trees; leave pruning"),
        (TreeRank(max_depth="deep"), "max_depth is 'deep'"),
    ],
)
def test_wrong_parameters(model: TreeRank, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        model.fit(TRAIN.X, TRAIN.y)


def test_parameters_are_those_that_were_given(readable: TreeRank) -> None:
    assert repr(TreeRank()) == "TreeRank()"
    assert repr(clone(TreeRank(size="best"))) == "TreeRank(size='best')"
    assert readable.get_params(deep=False)["size"] == "auto"
    assert readable.get_params(deep=False)["max_depth"] == "auto"


# ---- what comes out


def test_few_boxes_with_falling_rates(readable: TreeRank) -> None:
    tree = readable.tree_
    assert 2 <= tree.n_leaves <= 12
    assert (np.diff(tree.leaf_rate) <= 0).all()
    assert tree.cell_count[tree.leaves].min() >= 20
    assert all(len(stratum_rule(tree, k)) == 1 for k in range(tree.n_leaves))


@pytest.mark.parametrize("size", ["readable", "best"])
def test_thresholds_are_round(size: str) -> None:
    """Whole numbers are cut by whole numbers, others by few digits, and no training row leaves its stratum."""
    X = np.column_stack([np.round(5 * TRAIN.X[:, :5]), TRAIN.X[:, 5:]])
    model = TreeRank(size=size, random_state=0).fit(X, TRAIN.y)
    tree = model.tree_
    whole = tree.feature < 5
    assert whole.any()
    assert (tree.threshold[whole] % 1 == 0).all()
    for threshold, digits in zip(tree.threshold[~whole], tree.digits[~whole], strict=True):
        assert digits < 8
        assert threshold == float(f"{threshold:.{digits - 1}e}")
    np.testing.assert_array_equal(np.bincount(model.apply(X), minlength=tree.n_leaves), tree.cell_count[tree.leaves])


def test_they_rank(readable: TreeRank, best: TreeRank) -> None:
    plain = TreeRank(size=None, random_state=0).fit(TRAIN.X, TRAIN.y)
    auc = {name: roc_auc(TEST.y, model.score_samples(TEST.X)) for name, model in
           {"readable": readable, "best": best, "plain": plain}.items()}  # fmt: skip
    assert auc["best"] > auc["readable"] > 0.78
    assert auc["best"] > auc["plain"] + 0.02
    assert best.tree_.n_leaves > 12


def test_how_the_size_was_chosen(readable: TreeRank, best: TreeRank) -> None:
    found = readable.pruning_
    assert found.n_strata.tolist() == list(range(1, 13))
    assert readable.tree_.n_leaves == found.n_strata[found.chosen]
    assert found.auc[0] == 0.5
    assert found.chosen == next(k for k in range(12) if found.auc[found.best] - found.auc[k] <= found.standard_error[k])
    assert f"{found.n_strata[found.chosen]} " in str(found)
    assert "standard error" in str(found) or found.chosen == found.best
    assert best.pruning_.chosen == best.pruning_.best == int(np.argmax(best.pruning_.auc))
    # held-out figures are realistic
    assert found.auc[found.chosen] == pytest.approx(roc_auc(TEST.y, readable.score_samples(TEST.X)), abs=0.04)
    assert readable.figures()["held_out_auc"] == found.auc[found.chosen]


def test_noise_is_not_ranked() -> None:
    rng = np.random.default_rng(0)
    alone = [
        TreeRank(random_state=seed).fit(rng.normal(size=(200, 4)), np.arange(200) % 3 == 0).tree_.n_leaves == 1
        for seed in range(8)
    ]
    assert sum(alone) >= 6


def test_rare_positives() -> None:
    """Four per cent of positives do not end the tree at two or three strata."""
    rng = np.random.default_rng(1)
    X, fresh = rng.normal(size=(3000, 6)), rng.normal(size=(5000, 6))
    label = lambda X: X[:, 0] + 0.7 * X[:, 1] + 0.5 * X[:, 2] ** 2 + rng.normal(size=len(X)) > 3.1  # noqa: E731
    y, truth = label(X), label(fresh)
    assert 0.02 < y.mean() < 0.06
    model = TreeRank(random_state=0).fit(X, y)
    assert model.tree_.n_leaves > 3
    assert roc_auc(truth, model.score_samples(fresh)) > 0.8


# ---- parameters that hold for all sizes


def test_a_lower_ceiling() -> None:
    model = TreeRank(size="readable", max_leaf_nodes=3, random_state=0).fit(TRAIN.X, TRAIN.y)
    assert model.tree_.n_leaves <= 3
    assert model.pruning_.n_strata.tolist() == [1, 2, 3]


def test_fewest_rows_of_a_stratum() -> None:
    tree = TreeRank(min_samples_leaf=90, random_state=0).fit(TRAIN.X, TRAIN.y).tree_
    assert tree.cell_count[tree.leaves].min() >= 90


def test_depth_of_the_boxes() -> None:
    tree = TreeRank(size="best", max_depth=1, random_state=0).fit(TRAIN.X, TRAIN.y).tree_
    assert tree.n_leaves == 2


@pytest.mark.parametrize("size", ["readable", "best"])
def test_monotone_constraints_hold(size: str) -> None:
    model = TreeRank(size=size, monotonic_cst=[1, 0, -1] + [0] * 7, random_state=0).fit(TRAIN.X, TRAIN.y)
    assert (np.diff(model.tree_.leaf_rate) <= 0).all()
    rng = np.random.default_rng(0)
    X = TEST.X[rng.integers(len(TEST.X), size=400)].copy()
    higher = X.copy()
    higher[:, 0] += rng.exponential(size=400)
    higher[:, 2] -= rng.exponential(size=400)
    assert (model.score_samples(higher) >= model.score_samples(X)).all()


def test_the_top_of_the_list() -> None:
    model = TreeRank(top=0.1, random_state=0).fit(TRAIN.X, TRAIN.y)
    found = model.pruning_
    assert found.top == 0.1
    assert found.auc[0] == pytest.approx(0.1 * 0.95)
    assert found.auc[found.chosen] == pytest.approx(local_auc(TEST.y, model.score_samples(TEST.X), 0.1), abs=0.04)
    assert "local AUC of the best 0.1" in str(found)


def test_weights_count_as_rows() -> None:
    """The rates of the strata are those of the weights; their unit does not matter."""
    weight = np.where(np.arange(700) % 3 == 0, 2.0, 1.0)
    one, other = (TreeRank(random_state=0).fit(TRAIN.X, TRAIN.y, c * weight) for c in (1.0, 8.0))
    np.testing.assert_array_equal(one.apply(TEST.X), other.apply(TEST.X))
    at, y = one.apply(TRAIN.X), one.pos_label_ == TRAIN.y
    for k in range(one.tree_.n_leaves):
        assert one.tree_.leaf_rate[k] == pytest.approx(weight[(at == k) & y].sum() / weight[at == k].sum())


def test_few_rows_of_a_class_are_not_held_out() -> None:
    model = TreeRank(random_state=0).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert model.pruning_ is None
    assert model.tree_.n_leaves == 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_positives", [1, 2, 3, 4, 5, 9])
@pytest.mark.parametrize("size", ["readable", "best"])
def test_few_positives_give_no_tiny_strata_and_falling_rates(size: str, n_positives: int, weighted: bool) -> None:
    """Whether or not rows can be held out; the columns know nothing of the labels."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 5)), np.arange(300) < n_positives
        tree = TreeRank(size=size, random_state=0).fit(X, y, rng.exponential(size=300) if weighted else None).tree_
        assert tree.cell_count[tree.leaves].min() >= (15 if size == "readable" or n_positives < 3 else 5)
        if size == "readable" or n_positives < 3:
            assert (np.diff(tree.leaf_rate) <= 0).all()


@pytest.mark.parametrize(("n_positives", "n_folds"), [(2, None), (3, 3), (4, 4), (5, 5)])
def test_as_many_folds_as_the_rarer_class_has_rows(n_positives: int, n_folds: int | None) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.arange(400) < n_positives
    X[y, 0] += 4.0
    model = TreeRank(random_state=0).fit(X, y)
    assert (model.pruning_ is None) == (n_folds is None)
    if n_folds is not None:
        assert model.pruning_.n_folds == 2 * n_folds
    fresh = rng.normal(size=(400, 3))
    fresh[:200, 0] += 4.0
    assert roc_auc(np.arange(400) < 200, model.score_samples(fresh)) > 0.9


# ---- the same model from anywhere


def test_the_same_from_partitions_and_any_number_of_threads(readable: TreeRank) -> None:
    frame = pd.DataFrame(TRAIN.X).add_prefix("x")
    whole = TreeRank(random_state=0).fit(frame, TRAIN.y)
    for way in ("trees", "histograms"):
        spread = fit_spread(TreeRank(random_state=0), frame, TRAIN.y, n_parts=3, way=way)
        assert_same_tree(spread, whole)
    assert_same_tree(TreeRank(random_state=0, n_jobs=2).fit(frame, TRAIN.y), whole)


def assert_same_tree(one: TreeRank, other: TreeRank) -> None:
    for name in ("feature", "threshold", "left", "right", "owner", "cell_mass", "cell_count", "cell_gain", "node_mass"):
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name), err_msg=name)
    np.testing.assert_array_equal(one.pruning_.fold_auc, other.pruning_.fold_auc)


def test_from_a_file(readable: TreeRank, tmp_path) -> None:
    save_model(readable, tmp_path / "model.rankforest")
    again = load_model(tmp_path / "model.rankforest")
    np.testing.assert_array_equal(again.score_samples(TEST.X), readable.score_samples(TEST.X))
    assert str(again.pruning_) == str(readable.pruning_)
    assert again.tree_.n_leaves == readable.tree_.n_leaves


def test_a_part_of_many_rows_gives_the_cuts_and_all_rows_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rarer class is drawn first, and the strata hold all rows."""
    monkeypatch.setattr(distilled, "_MOST_ROWS", 300)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = X[:, 0] + 0.5 * rng.normal(size=4000) > 1.8
    model = TreeRank(random_state=0).fit(X, y)
    tree = model.tree_
    assert tree.cell_count[0] == 4000
    assert tree.cell_mass[0].tolist() == [(~y).sum(), y.sum()]
    assert (np.diff(tree.leaf_rate) <= 0).all()
    assert roc_auc(y, model.score_samples(X)) > 0.9
    assert tree.auc == pytest.approx(roc_auc(y, model.score_samples(X)))


# ---- soft labels


def test_soft_labels_do_not_know_their_fold() -> None:
    """What is expected of a row does not change with the labels of its fold, nor with those of one held out."""
    model = TreeRank(size="best", random_state=0)
    sample = model._reading(TRAIN.X, TRAIN.y, None).sample
    folds = np.arange(sample.n_rows) % 5
    drawn = Folds(folds, 5)
    one = soft_labels(sample, drawn, seed=0)
    flipped = sample.labels.copy()
    flipped[folds == 2] = 1 - flipped[folds == 2]
    other = soft_labels(type(sample)(sample.table, sample.binned, flipped, None), drawn, seed=0)
    np.testing.assert_array_equal(one.rate[folds == 2], other.rate[folds == 2])
    np.testing.assert_array_equal(one.without[2], other.without[2])
    assert (one.rate[folds != 2] != other.rate[folds != 2]).any()
    assert (one.without[1][folds == 3] != other.without[1][folds == 3]).any()


def test_soft_labels_double_the_rows() -> None:
    sample = TreeRank()._reading(TRAIN.X, TRAIN.y, None).sample
    soft = soft_labels(sample, Folds(np.arange(sample.n_rows) % 5, 5), seed=0)
    labelled, kept = soft.labelled(3)
    assert kept.tolist() == [row for row in range(700) if row % 5 != 3]
    assert labelled.n_rows == 2 * len(kept)
    positives = labelled.weights[labelled.labels == 1]
    np.testing.assert_allclose(positives + labelled.weights[labelled.labels == 0], 1.0)
    np.testing.assert_allclose(positives, np.clip(soft.without[3][kept], 0.001, 0.999))


# ---- soft labels and the labels themselves


@pytest.mark.parametrize("size", ["readable", "best"])
def test_one_good_column_among_thousands_is_found(size: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3000))
    y = (X[:, 1234] > 0.0).astype(int)
    model = TreeRank(size=size, random_state=0).fit(X, y)
    assert set(model.tree_.feature[model.tree_.feature >= 0]) == {1234}
    assert roc_auc(y, model.score_samples(X)) == 1.0


def test_soft_labels_stay_unless_the_labels_are_clearly_better() -> None:
    folds = np.linspace(0.7, 0.8, 10)[:, None]
    sizes = np.array([1])
    soft = ChosenSize("best", sizes, folds)
    wave = 0.02 * np.sin(np.arange(10))[:, None]
    assert not ChosenSize("best", sizes, folds + wave).is_clearly_above(soft)
    assert ChosenSize("best", sizes, folds + wave + 0.02).is_clearly_above(soft)
    assert not soft.is_clearly_above(soft)
