"""Right-sized trees: by cross-validation, by a penalty, on a separate sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils import check_random_state

import naive
from rankforest import LeafRank, Pruning, RankingTree, TreeRank
from rankforest.data import simulate
from rankforest.data.folds import stratified_folds
from rankforest.growing.right_size import CrossValidated
from rankforest.growing.structural import Structural
from rankforest.metrics import roc_auc

SMALL = LeafRank(max_depth=2)


def noise(seed: int, n: int = 1000, q: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.permutation(np.arange(n) % 2)


def coarse(seed: int, n: int = 240) -> tuple[np.ndarray, np.ndarray]:
    """Six values per feature: with and without a fold the bins are the same."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, 3)).astype(float)
    return X, (X[:, 0] - X[:, 1] + rng.normal(0, 3, n) > 0).astype(int)


def same_tree(one: RankingTree, other: RankingTree) -> bool:
    arrays = naive.arrays_of(other)
    return all(np.array_equal(array, arrays[name]) for name, array in naive.arrays_of(one).items())


# ---- folds


@pytest.mark.parametrize(("n_negatives", "n_positives", "n_folds"), [(100, 40, 10), (53, 7, 3), (5, 5, 5)])
def test_every_fold_gets_its_share_of_both_classes(n_negatives: int, n_positives: int, n_folds: int) -> None:
    labels = np.random.default_rng(0).permutation(np.repeat([0, 1], [n_negatives, n_positives]))
    folds = stratified_folds(labels, n_folds, seed=1)
    assert set(folds) == set(range(n_folds))
    for k, size in ((0, n_negatives), (1, n_positives)):
        in_fold = np.bincount(folds[labels == k], minlength=n_folds)
        assert set(in_fold) <= {size // n_folds, -(-size // n_folds)}


def test_folds_are_shuffled_by_the_seed() -> None:
    labels = np.repeat([0, 1], 50)
    one, same, other = (stratified_folds(labels, 5, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert np.mean(one == other) < 0.5
    assert np.any(np.diff(one[:50]) != one[1] - one[0])  # not dealt out in the order of the rows


def test_too_few_rows_for_the_folds_get_a_sentence() -> None:
    X, y = noise(0, n=40)
    y = (np.arange(40) < 4).astype(int)
    with pytest.raises(ValueError, match=r"^5 folds need at least 5 rows of each class, and one class has 4; set n_fo"):
        TreeRank(pruning=Pruning("cv", n_folds=5)).fit(X, y)
    assert TreeRank(pruning=Pruning("cv", n_folds=4)).fit(X, y).tree_.n_leaves >= 1


# ---- cross-validation


@pytest.mark.parametrize("weighted", [False, True])
def test_cross_validation_equals_a_plain_loop(weighted: bool) -> None:
    """Refit without the fold, prune at the same lambda, rank the rows of the fold."""
    X, y = coarse(0)
    w = np.random.default_rng(1).choice([0.5, 1.0, 4.0], len(y)) if weighted else None
    model = TreeRank(SMALL, pruning=Pruning("cv", n_folds=3), random_state=5).fit(X, y, w)
    folds = stratified_folds(y, 3, int(check_random_state(5).randint(np.iinfo(np.int32).max)))
    found = model.pruning_
    assert isinstance(found, CrossValidated)
    auc = np.empty((3, len(found.complexity)))
    for fold in range(3):
        seen, held_out = folds != fold, folds == fold
        weights = (None, None) if w is None else (w[seen], w[held_out])
        path = TreeRank(SMALL).fit(X[seen], y[seen], weights[0]).pruning_path()
        for i, complexity in enumerate(found.complexity):
            small = path.prune(complexity)
            score = small.leaf_score[small.apply(X[held_out])]
            auc[fold, i] = roc_auc(y[held_out], score, sample_weight=weights[1])
    np.testing.assert_allclose(found.auc, auc.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.standard_error, auc.std(axis=0, ddof=1) / math.sqrt(3), atol=1e-12)

    # each subtree of the path stands for the lambdas where it is best
    path = model.pruning_path()
    for i, complexity in enumerate(found.complexity):
        assert path.prune(complexity).n_leaves == path.n_leaves[i]
    # and the model is the best of them, of equally good ones the smallest
    best = max(range(len(path)), key=lambda i: (found.auc[i], i))
    assert same_tree(model.tree_, path.prune(path.lambdas[best]))
    # one standard error: the smallest that is not significantly worse
    least = found.auc[best] - found.standard_error[best]
    smallest = max(i for i in range(len(path)) if found.auc[i] >= least)
    cautious = clone(model).set_params(pruning__method="cv-1se").fit(X, y, w)
    assert same_tree(cautious.tree_, path.prune(path.lambdas[smallest]))


def test_cross_validation_is_honest() -> None:
    """On noise the full tree ranks its training rows well and new rows at random."""
    found = []
    for seed in range(5):
        model = TreeRank(LeafRank(), pruning=Pruning("cv", n_folds=5), random_state=seed).fit(*noise(seed))
        assert model.grown_tree_.auc > 0.75
        assert isinstance(model.pruning_, CrossValidated)
        assert abs(model.pruning_.auc[0] - 0.5) < 0.08
        assert model.pruning_.auc[-1] == 0.5  # the root alone
        found.append(model.pruning_.auc[0])
    assert abs(np.mean(found) - 0.5) < 0.03


def test_noise_is_pruned_away() -> None:
    cv = [
        TreeRank(pruning=Pruning("cv", n_folds=5), random_state=seed).fit(*noise(seed)).tree_.n_leaves
        for seed in range(6)
    ]
    assert np.median(cv) <= 3


def test_signal_is_kept() -> None:
    """The pruned tree ranks new rows better than the whole one of unpruned rules, and far better than none."""
    aucs = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        train, test = simulate.rf10_sparse(1000, rng), simulate.rf10_sparse(4000, rng)
        whole = TreeRank(size=None, random_state=0).fit(train.X, train.y)
        pruned = clone(whole).set_params(pruning="cv").fit(train.X, train.y)
        assert 1 < pruned.tree_.n_leaves <= pruned.grown_tree_.n_leaves
        aucs.append([roc_auc(test.y, model.score_samples(test.X)) for model in (whole, pruned)])
    of_whole, of_pruned = np.mean(aucs, axis=0)
    assert of_pruned > of_whole
    assert of_pruned > 0.75


@pytest.mark.parametrize("seed", range(4))
def test_one_standard_error_is_never_larger(seed: int) -> None:
    X, y = coarse(seed)
    model = TreeRank(SMALL, pruning=Pruning("cv", n_folds=5), random_state=seed).fit(X, y)
    cautious = clone(model).set_params(pruning__method="cv-1se").fit(X, y)
    assert cautious.tree_.n_leaves <= model.tree_.n_leaves
    np.testing.assert_array_equal(cautious.pruning_.auc, model.pruning_.auc)
    assert same_tree(cautious.grown_tree_, model.grown_tree_)


def test_a_tree_that_never_split_is_pruned_to_itself() -> None:
    y = np.arange(20) % 2
    for pruning in ("cv", "cv-1se", "structural"):
        model = TreeRank(pruning=Pruning(pruning, n_folds=2)).fit(np.ones((20, 2)), y)
        assert model.tree_.n_leaves == 1
        assert set(model.score_samples(np.ones((3, 2)))) == {0.5}


# ---- structural


def test_the_penalty_by_its_formula() -> None:
    """O1 of the 2011 paper, written without logarithms where the numbers still allow it."""
    X, y = coarse(2, n=60)
    model = TreeRank(LeafRank(max_depth=1), max_depth=2, pruning=Pruning("structural", penalty=0.0)).fit(X, y)
    found, p = model.pruning_, y.mean()
    assert isinstance(found, Structural)
    for k, penalty in enumerate(found.penalty, start=1):
        inside = math.log(16.0 * ((60 + 1) * 3) ** (2 * k * 1)) + k
        assert penalty == pytest.approx(math.sqrt(32 * inside / 60) / (p * (1 - p)))


@pytest.mark.parametrize("constant", [1e-4, 1e-3, 1e-2])
def test_structural_maximises_the_penalised_auc_over_all_sizes(constant: float) -> None:
    X, y = coarse(1)
    model = TreeRank(SMALL, pruning=Pruning("structural", penalty=constant)).fit(X, y)
    found = model.pruning_
    assert isinstance(found, Structural)
    assert found.constant == constant
    value = [
        found.subtrees.prune(k).auc - constant * found.penalty[k - 1] for k in range(1, model.grown_tree_.n_leaves + 1)
    ]
    own = model.tree_.auc - constant * found.penalty[model.tree_.n_leaves - 1]
    assert own == pytest.approx(max(value), abs=1e-12)


def test_structural_from_no_penalty_to_a_huge_one() -> None:
    X, y = coarse(3)
    sizes = [
        TreeRank(SMALL, pruning=Pruning("structural", penalty=constant)).fit(X, y).tree_.n_leaves
        for constant in (0, 1e-4, 1e-3, 1e-2, 1e6, math.inf)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2:] == [1, 1]
    free = TreeRank(SMALL, pruning=Pruning("structural", penalty=0)).fit(X, y)
    assert free.tree_.auc == pytest.approx(free.grown_tree_.auc, abs=1e-12)
    assert free.tree_.n_leaves >= free.grown_tree_.n_leaves - np.sum(free.grown_tree_.cell_gain < 1e-12)


def test_the_calibrated_penalty_leaves_nothing_of_noise_and_something_of_signal() -> None:
    sample = simulate.rf10_sparse(1000, random_state=0)
    assert TreeRank(pruning="structural", random_state=0).fit(sample.X, sample.y).tree_.n_leaves > 1
    of_noise = [TreeRank(pruning="structural", random_state=s).fit(*noise(s)).tree_.n_leaves for s in range(5)]
    assert np.median(of_noise) == 1


def test_the_calibrated_penalty_is_the_least_that_prunes_shuffled_labels_to_the_root() -> None:
    X, y = coarse(4)
    model = TreeRank(SMALL, pruning="structural", random_state=0).fit(X, y)
    found = model.pruning_
    assert isinstance(found, Structural)
    rng = np.random.default_rng(int(check_random_state(0).randint(np.iinfo(np.int32).max)))
    sizes = []
    for _ in range(3):
        shuffled = y[rng.permutation(len(y))]
        sizes.append(
            [
                TreeRank(SMALL, pruning=Pruning("structural", penalty=constant)).fit(X, shuffled).tree_.n_leaves
                for constant in (found.constant * (1 + 1e-9), found.constant * (1 - 1e-9))
            ]
        )
    assert [just_enough for just_enough, _ in sizes] == [1, 1, 1]
    assert max(too_little for _, too_little in sizes) > 1


# ---- a separate sample


@pytest.mark.parametrize("weighted", [False, True])
def test_prune_with_picks_the_best_of_the_path(weighted: bool) -> None:
    (X, y), (X_other, y_other) = coarse(0), coarse(1, n=150)
    w = np.random.default_rng(2).choice([0.0, 1.0, 3.0], 150) if weighted else None
    model = TreeRank(SMALL).fit(X, y)
    path = model.pruning_path()
    assert model.prune_with(X_other, y_other, w) is model
    aucs = []
    for complexity in path.lambdas:
        small = path.prune(complexity)
        aucs.append(roc_auc(y_other, small.leaf_score[small.apply(X_other)], sample_weight=w))
    best = max(range(len(path)), key=lambda i: (round(aucs[i], 12), i))
    assert same_tree(model.tree_, path.prune(path.lambdas[best]))
    assert 1 < model.tree_.n_leaves < model.grown_tree_.n_leaves
    assert roc_auc(y_other, model.score_samples(X_other), sample_weight=w) == pytest.approx(max(aucs), abs=1e-12)
    # it starts from the grown tree again, so that its own training sample gives everything back
    assert model.prune_with(X, y).tree_.auc == pytest.approx(model.grown_tree_.auc, abs=1e-12)


def test_prune_with_reads_tables_and_labels_like_fit() -> None:
    X, y = coarse(0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    named = np.where(y == 1, "bad", "good")
    model = TreeRank(SMALL, pos_label="bad").fit(frame[:160], named[:160])
    plain = TreeRank(SMALL).fit(X[:160], y[:160]).prune_with(X[160:], y[160:])
    assert same_tree(model.prune_with(frame[160:], named[160:]).tree_, plain.tree_)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            [0, 1] * 5,
            r"^y has the labels \[0, 1\], and the model was fitted on \['bad', 'good'\]; prune with the same two",
        ),
        (
            ["bad", "fine"] * 5,
            r"^y has the labels \[.*fine.*\], and the model was fitted on \[.*good.*\]; prune with the",
        ),
        (["bad"] * 10, r"one class only"),
        (["bad", "good"] * 4, r"10 rows but y has 8 labels"),
    ],
)
def test_prune_with_wrong_labels_gets_a_sentence(y: list[Any], message: str) -> None:
    X, codes = coarse(0)
    model = TreeRank(SMALL, pos_label="bad").fit(X, np.where(codes == 1, "bad", "good"))
    before = model.tree_
    with pytest.raises(ValueError, match=message):
        model.prune_with(X[:10], y)
    assert model.tree_ is before


# ---- parameters, and one model after the other


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"pruning": "best"}, r"^pruning is 'best'; choose None, 'cv', 'cv-1se' or 'structural', or give a Pruning\.$"),
        ({"pruning": Pruning("cv", n_folds=1)}, r"^n_folds of pruning is 1; give a whole number of at least 2\.$"),
        ({"pruning": Pruning("cv", n_folds=2.5)}, r"^n_folds of pruning is 2\.5; give a whole number of at least 2\.$"),
        (
            {"pruning": Pruning("structural", penalty=-1.0)},
            r"^penalty of pruning is -1\.0; give 'auto' or a number of at least 0\.$",
        ),
        (
            {"pruning": Pruning("structural", penalty=math.nan)},
            r"^penalty of pruning is nan; give 'auto' or a number of at least 0\.$",
        ),
        (
            {"pruning": Pruning("structural", penalty="much")},
            r"^penalty of pruning is 'much'; give 'auto' or a number of at least 0\.$",
        ),
    ],
)
def test_wrong_parameters_are_said_before_any_work(params: dict[str, Any], message: str) -> None:
    model = TreeRank(**params)
    with pytest.raises(ValueError, match=message):
        model.fit(np.ones((4, 1)), ["not", "even", "two", "labels"])
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("pruning", ["cv", "cv-1se", "structural"])
def test_refit_gives_the_same_model(pruning: str) -> None:
    X, y = coarse(0)
    model = TreeRank(SMALL, pruning=Pruning(pruning, n_folds=4), random_state=1).fit(X, y)
    first = model.tree_
    again = model.fit(X, y)
    assert again.tree_ is not first
    assert same_tree(first, again.tree_)
    assert same_tree(first, clone(model).set_params(n_jobs=2).fit(X, y).tree_)


def test_without_pruning_the_grown_tree_is_the_model() -> None:
    X, y = coarse(0)
    model = TreeRank(SMALL, pruning=Pruning("cv", n_folds=3), random_state=0).fit(X, y)
    assert model.tree_ is not model.grown_tree_
    assert model.pruning_path().n_leaves[0] == model.grown_tree_.n_leaves
    model.set_params(pruning=None).fit(X, y)
    assert model.tree_ is model.grown_tree_
    assert model.pruning_ is None


def test_rows_of_weight_zero_are_in_no_fold() -> None:
    X, y = coarse(0)
    w = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = w > 0
    one = TreeRank(SMALL, pruning=Pruning("cv", n_folds=3), random_state=0).fit(X, y, w)
    other = TreeRank(SMALL, pruning=Pruning("cv", n_folds=3), random_state=0).fit(X[kept], y[kept])
    np.testing.assert_allclose(one.pruning_.auc, other.pruning_.auc, atol=1e-12)
    assert one.tree_.n_leaves == other.tree_.n_leaves
