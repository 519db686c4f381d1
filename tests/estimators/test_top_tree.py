"""TreeRank(top=u): cells right of the control line stay whole, and pruning looks at the top of the list."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import naive
from rankforest import LeafRank, Pruning, TreeRank
from rankforest.data import simulate
from rankforest.data.folds import stratified_folds
from rankforest.metrics import local_auc
from rankforest.plots import PruningDisplay
from rankforest.tree.local_pruning import local_auc_along, separators
from rankforest.tree.pruning import strata_mass

SAMPLE = simulate.rf20(600, random_state=0)
FRESH = simulate.rf20(500, random_state=1)
RULE = LeafRank(max_depth=3)


def arrays(model: TreeRank) -> dict[str, np.ndarray]:
    return naive.arrays_of(model.tree_)


@pytest.mark.parametrize("pruning", [None, "cv"])
def test_the_whole_list_is_the_global_tree(pruning: str | None) -> None:
    kwargs = {"pruning": Pruning(pruning, n_folds=3), "max_depth": 4, "random_state": 0}
    whole, one = (TreeRank(top=top, **kwargs).fit(SAMPLE.X, SAMPLE.y) for top in (None, 1.0))
    for name, array in arrays(whole).items():
        np.testing.assert_array_equal(arrays(one)[name], array)


@pytest.mark.parametrize("u", [0.05, 0.2, 0.5])
def test_cells_right_of_the_line_stay_whole_and_the_others_are_those_of_the_global_tree(u: float) -> None:
    tree = TreeRank(top=u, max_depth=6).fit(SAMPLE.X, SAMPLE.y).tree_
    whole = TreeRank(max_depth=6).fit(SAMPLE.X, SAMPLE.y).tree_
    weight = tree.cell_mass.sum(axis=1)
    before = np.zeros(len(weight))
    twin = {0: 0}  # the same cell of the global tree
    for cell in np.flatnonzero(tree.cell_left >= 0):
        left, right = tree.cell_left[cell], tree.cell_right[cell]
        before[left], before[right] = before[cell], before[cell] + weight[left]
        twin[left], twin[right] = whole.cell_left[twin[cell]], whole.cell_right[twin[cell]]
    assert (before[tree.cell_left >= 0] < u * weight[0]).all()
    for cell, other in twin.items():
        np.testing.assert_array_equal(tree.cell_mass[cell], whole.cell_mass[other])
        if before[cell] < u * weight[0]:
            assert (tree.cell_left[cell] >= 0) == (whole.cell_left[other] >= 0)
    assert tree.n_leaves < whole.n_leaves


def test_on_the_training_list_the_top_is_ranked_as_the_global_tree_ranks_it() -> None:
    u = 0.2
    top, whole = (TreeRank(top=t, max_depth=6).fit(SAMPLE.X, SAMPLE.y) for t in (u, None))
    found, expected = (local_auc(SAMPLE.y, model.score_samples(SAMPLE.X), u) for model in (top, whole))
    # the stratum across the line is cut by the global tree alone where it ends right of the line
    assert found == pytest.approx(expected, abs=0.02)
    assert found > 0.15


def test_separators_part_neighbours() -> None:
    tree = TreeRank(max_depth=5).fit(SAMPLE.X, SAMPLE.y).tree_

    def ancestors(cell: int) -> list[int]:
        return [cell] if cell == 0 else [cell, *ancestors(int(tree.cell_parent[cell]))]

    expected = [
        next(cell for cell in ancestors(int(one)) if cell in ancestors(int(other)))
        for one, other in zip(tree.leaves[:-1], tree.leaves[1:])
    ]
    assert separators(tree).tolist() == expected


@pytest.mark.parametrize("u", [0.01, 0.1, 0.6, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_local_auc_along_the_path_is_that_of_the_pruned_trees(u: float, weighted: bool) -> None:
    model = TreeRank(max_depth=5).fit(SAMPLE.X, SAMPLE.y)
    path = model.pruning_path()
    weights = np.random.default_rng(0).exponential(size=len(FRESH.y)) if weighted else None
    mass = strata_mass(path.tree, model.apply(FRESH.X), (FRESH.y > 0).astype(int), weights)
    found = local_auc_along(path, mass, path.lambdas, u)
    for value, complexity in list(zip(found, path.lambdas))[::4]:
        scores = -path.prune(complexity).apply(FRESH.X)
        assert value == pytest.approx(local_auc(FRESH.y, scores, u, sample_weight=weights))
    assert found[-1] == pytest.approx(u - u * u / 2)  # the root


def test_cross_validation_by_local_auc() -> None:
    """Fold by fold once more, with the trees' own scores; of few values all folds have the same bins."""
    u, n_folds = 0.2, 3
    X = np.clip(np.round(SAMPLE.X), -1, 1)
    model = TreeRank(top=u, pruning=Pruning("cv", n_folds=n_folds), max_depth=4, splitter=RULE, random_state=3)
    model.fit(X, SAMPLE.y)
    validated = model.pruning_
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    folds = stratified_folds((SAMPLE.y > 0).astype(np.uint8), n_folds, seed)
    aucs = np.empty((n_folds, len(validated.complexity)))
    for fold in range(n_folds):
        seen = folds != fold
        path = clone(model).set_params(pruning=None).fit(X[seen], SAMPLE.y[seen]).pruning_path()
        for i, complexity in enumerate(validated.complexity):
            scores = -path.prune(complexity).apply(X[~seen])
            aucs[fold, i] = local_auc(SAMPLE.y[~seen], scores, u)
    np.testing.assert_allclose(validated.auc, aucs.mean(axis=0))
    assert validated.top == u
    best = len(aucs[0]) - 1 - int(np.argmax(aucs.mean(axis=0)[::-1]))
    assert model.tree_.n_leaves == validated.path.n_leaves[best]


def test_noise_goes_back_to_the_root_with_one_standard_error() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    model = TreeRank(top=0.2, pruning=Pruning("cv-1se", n_folds=5), splitter=RULE, random_state=0).fit(X, y)
    assert not model.pruning_.ranks
    assert model.tree_.n_leaves == 1


def test_a_separate_sample_is_ranked_at_its_top() -> None:
    model = TreeRank(top=0.1, max_depth=6).fit(SAMPLE.X, SAMPLE.y)
    path = model.pruning_path()
    values = [local_auc(FRESH.y, -path.prune(c).apply(FRESH.X), 0.1) for c in path.lambdas]
    model.prune_with(FRESH.X, FRESH.y)
    assert local_auc(FRESH.y, model.score_samples(FRESH.X), 0.1) == pytest.approx(max(values))


def test_the_plot_names_the_top() -> None:
    model = TreeRank(top=0.1, pruning=Pruning("cv", n_folds=3), splitter=RULE).fit(SAMPLE.X, SAMPLE.y)
    display = PruningDisplay.from_estimator(model).plot()
    assert display.ax_.get_ylabel() == "local AUC of the best 0.1"
    whole = local_auc(SAMPLE.y, -model.grown_tree_.apply(SAMPLE.X), 0.1)
    assert display.auc[0] == pytest.approx(whole)


@pytest.mark.parametrize("top", [0, -0.1, 1.5, "all", True, np.nan])
def test_a_wrong_share(top: object) -> None:
    with pytest.raises(ValueError, match=r"top is .*; give the share of the list that matters, in \(0, 1\]"):
        TreeRank(top=top).fit(SAMPLE.X, SAMPLE.y)


def test_the_structural_penalty_is_for_the_whole_list() -> None:
    with pytest.raises(ValueError, match=r"top is 0\.1 and pruning is 'structural'"):
        TreeRank(top=0.1, pruning="structural").fit(SAMPLE.X, SAMPLE.y)
