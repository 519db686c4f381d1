"""LeafRank pruned by cross-validation: against all prunings of small inner trees, and against a plain loop."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from cells import cell_of
from rankforest import LeafRank, Pruning, RankingTree, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc
from rankforest.splitting.cell import Cell
from rankforest.splitting.pruned import InnerPath, divide_pruned

quick = settings(max_examples=60, deadline=None)


@st.composite
def inner_trees(draw: st.DrawFn, **bounds: Any) -> tuple[naive.Sample, Cell, LeafRank, RankingTree]:
    """A sample and the tree of one split that LeafRank grows on it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mixed = draw(st.booleans())
    sample = naive.random_sample(
        rng,
        draw(st.sampled_from([8, 20, 60])),
        draw(st.integers(1, 4)),
        missing=0.15 if mixed else 0.0,
        categorical=mixed,
        most=draw(st.sampled_from([0, 3, 100])),
    )
    assume(not np.isnan(sample.X).all(axis=0).any())
    rule = LeafRank(
        max_depth=draw(st.sampled_from([1, 2, 3])),
        min_mass_leaf=draw(st.sampled_from([0.0, 0.05])),
        criterion=draw(st.sampled_from(["gini", "auc"])),
        pruning=Pruning(draw(st.sampled_from(["cv", "cv-1se"])), n_folds=draw(st.sampled_from([2, 5]))),
        missing=draw(st.sampled_from(["learned", "cell_mean"])),
        **bounds,
    )
    cell = cell_of(
        sample.X, sample.y, sample.w, categorical=naive.categorical_features(sample), key=draw(st.integers(0, 99))
    )
    division = rule._whole(cell)
    assume(division is not None)
    assert division is not None
    return sample, cell, rule, division.tree


def prunings(tree: RankingTree, node: int = 0) -> Iterator[frozenset[int]]:
    """All sets of leaves that the inner tree below a node can be cut back to; terminals are counted from ~0 down."""
    yield frozenset([node])
    if node >= 0:
        for one in prunings(tree, int(tree.left[node])):
            for other in prunings(tree, int(tree.right[node])):
                yield one | other


def mass_of(tree: RankingTree, node: int) -> np.ndarray:
    return tree.node_mass[node] if node >= 0 else tree.terminal_mass[~node]


def cost(tree: RankingTree, leaves: frozenset[int]) -> Fraction:
    """1 - (beta - alpha): what the leaves hold of the class that does not prevail in them."""
    total = [Fraction(v) for v in tree.cell_mass[0]]
    return sum((min(Fraction(m) / t for m, t in zip(mass_of(tree, leaf), total)) for leaf in leaves), Fraction(0))


def leaves_at(path: InnerPath, complexity: float) -> frozenset[int]:
    n_inner = len(path.tree.feature)
    return frozenset(int(n) if n < n_inner else ~(int(n) - n_inner) for n in path.leaf_of_terminal(complexity))


@quick
@given(inner_trees())
def test_the_path_is_the_optimum_over_all_prunings(case: tuple[Any, ...]) -> None:
    """For every lambda the least cost + lambda * leaves, and of equally good ones the smallest."""
    path = InnerPath(case[-1])
    every = {leaves: cost(path.tree, leaves) for leaves in prunings(path.tree)}
    lambdas = path.lambdas
    assert lambdas[0] == 0.0
    assert np.all(np.diff(lambdas) > 0)
    between = [(Fraction(a) + Fraction(b)) / 2 for a, b in itertools.pairwise(lambdas.tolist())]
    for complexity in [Fraction(0), *between, Fraction(2) * Fraction(float(lambdas[-1])) + 1]:
        found = leaves_at(path, float(complexity))
        best = min((c + complexity * len(leaves), len(leaves)) for leaves, c in every.items())
        assert (every[found] + complexity * len(found), len(found)) == best
    sizes = [len(leaves_at(path, complexity)) for complexity in lambdas]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == len(sizes)  # every lambda changes the tree
    assert sizes[-1] == 1
    # of several at once as one by one
    together = path.leaf_of_terminal(lambdas)
    for row, complexity in zip(together, lambdas):
        np.testing.assert_array_equal(row, path.leaf_of_terminal(complexity))


@quick
@given(inner_trees())
def test_a_leaf_goes_to_the_side_of_the_class_that_prevails(case: tuple[Any, ...]) -> None:
    path = InnerPath(case[-1])
    tree = path.tree
    for node in [*range(len(tree.feature)), *(~t for t in range(len(tree.terminal_cell)))]:
        at = node if node >= 0 else len(tree.feature) + ~node
        alpha, beta = (Fraction(m) / Fraction(t) for m, t in zip(mass_of(tree, node), tree.cell_mass[0]))
        assert path.is_positive[at] == (beta > alpha)


@quick
@given(inner_trees(), st.integers(0, 2**32 - 1))
def test_the_pruned_tree_divides_as_its_leaves_say(case: tuple[Any, ...], seed: int) -> None:
    sample, cell, _, tree = case
    path = InnerPath(tree)
    rng = np.random.default_rng(seed)
    fresh = naive.random_sample(rng, 40, sample.X.shape[1], missing=0.2).X
    for j in naive.categorical_features(sample):
        fresh[:, j] = rng.choice([np.nan, *range(sample.categories[j])], 40)
    for complexity in path.lambdas:
        side = path.is_positive[path.leaf_of_terminal(complexity)]
        division = path.prune(path.leaf_of_terminal(complexity))
        if division is None:
            assert side.all() or not side.any()
            continue
        for X in (sample.X, fresh):
            np.testing.assert_array_equal(division.goes_left(X), side[tree.terminals(X)])
        # a tree like any other: its figures are those of its rows
        pruned = division.tree
        assert set(leaves_at(path, complexity)) in [set(leaves) for leaves in prunings(tree)]
        assert len(pruned.terminal_cell) == len(leaves_at(path, complexity))
        passing, ending = naive.node_rows(naive.arrays_of(pruned), sample.X, sample.n_codes)
        units = cell.sample.units
        for node, rows in enumerate(passing):
            assert pruned.node_count[node] == len(rows)
            assert pruned.node_mass[node].tolist() == list(sample.mass(rows))
            assert pruned.left_count[node] == len(naive.rows_left(naive.arrays_of(pruned), node, rows, sample))
        for terminal, rows in enumerate(ending):
            assert pruned.terminal_count[terminal] == len(rows)
            assert pruned.terminal_mass[terminal].tolist() == list(sample.mass(rows))
        left = division.goes_left(sample.X)
        assert pruned.cell_count.tolist() == [len(left), left.sum(), (~left).sum()]
        np.testing.assert_allclose(pruned.cell_mass[0], cell.mass * units)
        assert pruned.cell_gain[0] == pytest.approx(float(cell.gain(left)), abs=1e-12)


# ---- the division of a cell


def side_by_hand(path: InnerPath, row: np.ndarray, n_codes: list[int], complexity: float) -> bool:
    """Walk down until the first node that has collapsed, and go where it goes."""
    passed, terminal = naive.walk(naive.arrays_of(path.tree), row, n_codes)
    for node in passed:
        if path.collapse_at[node] <= complexity:
            return bool(path.is_positive[node])
    return bool(path.is_positive[len(path.tree.feature) + terminal])


def side_of_first_cut(path: InnerPath, row: np.ndarray, n_codes: list[int]) -> bool:
    passed, terminal = naive.walk(naive.arrays_of(path.tree), row, n_codes)
    return bool(path.is_positive[passed[1] if len(passed) > 1 else len(path.tree.feature) + terminal])


@settings(max_examples=40, deadline=None)
@given(inner_trees())
def test_dividing_equals_a_plain_loop(case: tuple[Any, ...]) -> None:
    """Grow without each fold, prune at the middle of each range, send the rows of the fold; keep the best lambda.

    By one standard error, keep the largest lambda that is as good, or the first cut alone.
    """
    sample, cell, rule, tree = case
    folds = cell.folds(rule.pruning.n_folds)
    cut = rule.divide(cell)
    if folds is None:
        assert cut is None
        return
    path = InnerPath(tree)
    lambdas = path.lambdas.tolist()
    complexities = [float(np.sqrt(a * b)) for a, b in itertools.pairwise(lambdas)] + [lambdas[-1]]
    paths = []
    for fold in range(max(folds) + 1):
        division = rule._whole(cell.take(folds != fold))
        paths.append(None if division is None else InnerPath(division.tree))
    sides = [
        [
            path_of is not None and side_by_hand(path_of, row, sample.n_codes, complexity)
            for row, path_of in ((row, paths[fold]) for row, fold in zip(sample.X, folds))
        ]
        for complexity in complexities
    ]
    sides.append(
        [
            path_of is not None and side_of_first_cut(path_of, row, sample.n_codes)
            for row, path_of in ((row, paths[fold]) for row, fold in zip(sample.X, folds))
        ]
    )

    def gain(left: list[bool], part: Any) -> Fraction:
        """beta - alpha of the rows of a part that go left."""
        total, mass = sample.mass(part), sample.mass([i for i in part if left[i]])
        return Fraction(mass[1], total[1]) - Fraction(mass[0], total[0])

    gains = [gain(left, range(len(sample.y))) for left in sides]
    best = max(range(len(complexities)), key=lambda i: (gains[i], i))  # of equally good ones the smallest tree
    if gains[best] <= 0:
        assert cut is None
        return
    if rule.pruning.method == "cv-1se":
        of_folds = [float(gain(sides[best], np.flatnonzero(folds == fold).tolist())) for fold in range(max(folds) + 1)]
        least = float(gains[best]) - np.std(of_folds, ddof=1) / np.sqrt(len(of_folds))
        assume(all(abs(float(g) - least) > 1e-9 or i == best for i, g in enumerate(gains)))  # no tie by rounding
        best = max(i for i, g in enumerate(gains) if g > 0 and (g >= least or i == best))
    first = best == len(complexities)
    expected = path.prune(path.leaf_of_first_cut if first else path.leaf_of_terminal(complexities[best]))
    if expected is None:
        assert cut is None
        return
    assert cut is not None
    assert cut.left.tolist() == sides[best]
    for name, array in naive.arrays_of(expected.tree).items():
        np.testing.assert_array_equal(getattr(cut.division.tree, name), array, err_msg=name)
    learned = rule.learn(cell)  # what is learned is pruned, too
    assert learned is not None
    np.testing.assert_array_equal(learned.goes_left(sample.X), cut.division.goes_left(sample.X))


def test_small_cells_and_pure_noise_stay_whole() -> None:
    rule = LeafRank(pruning="cv")
    x = np.arange(6.0)[:, None]
    assert rule.divide(cell_of(x, [0, 0, 0, 0, 0, 1])) is None  # a single positive cannot be held out
    assert rule.divide(cell_of(np.ones((6, 1)), [0, 1] * 3)) is None  # nothing to cut
    assert rule.divide(cell_of(x, [0, 0, 0, 1, 1, 1])) is not None
    grown = [
        divide_pruned(rule._whole, cell_of(x, y), 5, held_out=True) for y in ([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0])
    ]
    assert grown == [None, None]


def test_one_clean_cut_is_found_by_itself() -> None:
    """A large inner tree on one step and noise labels is cut back to the step."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(600, 3))
    y = (rng.random(600) < np.where(X[:, 0] > 0.6, 0.8, 0.2)).astype(int)
    cell = cell_of(X, y)
    rule = LeafRank(max_depth=None, min_mass_leaf=0.0, pruning="cv")
    assert len(rule._whole(cell).tree.feature) > 50  # type: ignore[union-attr]
    cut = rule.divide(cell)
    assert cut is not None
    assert cut.division.tree.feature.tolist() == [0]
    assert cut.division.tree.threshold[0] == pytest.approx(0.6, abs=0.02)


def test_rules_within_a_standard_error_are_short() -> None:
    """Two steps, the second one weak: "cv" cuts both, "cv-1se" the first one alone."""
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(500, 4))
    y = (rng.random(500) < 0.15 + 0.6 * (X[:, 0] > 0.5) + 0.15 * (X[:, 1] > 0.5)).astype(int)
    sizes = {}
    for method in ("cv", "cv-1se"):
        cut = LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=method).divide(cell_of(X, y))
        assert cut is not None
        sizes[method] = len(cut.division.tree.feature)  # type: ignore[attr-defined]
    assert sizes["cv-1se"] == 1


# ---- whole trees


def test_training_rows_lie_where_fresh_rows_would() -> None:
    """The tree's own AUC is that of a fresh sample; grown in-sample it is not."""
    train, test = simulate.rf10_sparse(1000, random_state=0), simulate.rf10_sparse(4000, random_state=1)
    deep = {"max_depth": None, "min_mass_leaf": 0.01}
    gaps, aucs = [], []
    for rule in (LeafRank(**deep), LeafRank(**deep, pruning="cv")):
        model = TreeRank(rule, max_depth=6, random_state=0).fit(train.X, train.y)
        aucs.append(roc_auc(test.y, model.score_samples(test.X)))
        gaps.append(model.tree_.auc - aucs[-1])
    assert gaps[0] > 0.1
    assert abs(gaps[1]) < 0.05
    assert aucs[1] > aucs[0] + 0.01


def test_noise_is_not_mistaken_for_a_ranking() -> None:
    """On noise a pruned rule still cuts cells, since a held-out gain is positive by chance, but it does not flatter.

    How many cells it cuts varies a lot from sample to sample: what brings noise back to the root is the pruning of the
    master tree by one standard error.
    """
    trees: dict[str, list[Any]] = {"whole": [], "pruned": [], "1se": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 5)), rng.integers(0, 2, 300)
        trees["whole"].append(TreeRank(size=None, random_state=seed).fit(X, y).tree_)
        trees["pruned"].append(TreeRank(LeafRank(pruning="cv"), random_state=seed).fit(X, y).tree_)
        trees["1se"].append(TreeRank(pruning=Pruning("cv-1se", n_folds=5), random_state=seed).fit(X, y).tree_)
    auc = {name: np.mean([tree.auc for tree in grown]) for name, grown in trees.items()}
    size = {name: np.mean([tree.n_leaves for tree in grown]) for name, grown in trees.items()}
    assert auc["whole"] > 0.8
    assert auc["pruned"] < 0.6
    assert size["1se"] < 2 < size["pruned"] < size["whole"]


def test_the_tree_is_of_the_axis_parallel_kind_and_reads_like_one() -> None:
    sample = simulate.rf20(400, random_state=0)
    model = TreeRank(LeafRank(pruning="cv"), max_depth=3, random_state=0).fit(sample.X, sample.y)
    tree = model.tree_
    assert isinstance(tree, RankingTree)
    assert tree.n_leaves > 2
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert "more likely if x" in model.export_text()
    assert tree.cell_count[tree.leaves].sum() == 400
    entries = tree.cell_entry[tree.cell_left >= 0]
    np.testing.assert_array_equal(tree.node_mass[entries], tree.cell_mass[tree.cell_left >= 0])
    for row in sample.X[:20]:
        assert model.path_of(row).stratum == model.apply(row[None])[0]


@pytest.mark.parametrize("weights", ["scaled", "whole"])
def test_weights(weights: str) -> None:
    """Weights times anything give the same tree; whole numbers are not rows here, as a row is held out as one."""
    sample = simulate.rf20(300, random_state=0)
    rng = np.random.default_rng(0)
    model = TreeRank(LeafRank(pruning="cv"), max_depth=3, random_state=0)
    w = np.ones(300) if weights == "scaled" else rng.integers(1, 4, 300).astype(float)
    one, other = (TreeRank(**model.get_params(deep=False)).fit(sample.X, sample.y, v) for v in (w, 8.0 * w))
    np.testing.assert_array_equal(one.apply(sample.X), other.apply(sample.X))
    np.testing.assert_array_equal(other.tree_.cell_mass, 8.0 * one.tree_.cell_mass)
    with_zero = TreeRank(**model.get_params(deep=False)).fit(
        np.vstack([sample.X, sample.X[:50] + 1]), np.append(sample.y, -sample.y[:50]), np.append(w, np.zeros(50))
    )
    np.testing.assert_array_equal(with_zero.apply(sample.X), one.apply(sample.X))
    if weights == "whole":
        plain = TreeRank(**model.get_params(deep=False)).fit(sample.X, sample.y)
        assert plain.apply(sample.X).tolist() != one.apply(sample.X).tolist()


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (LeafRank(pruning="1se"), r"^LeafRank's pruning is '1se'; choose None, 'cv' or 'cv-1se', or give a Pruning\.$"),
        (
            LeafRank(pruning=Pruning("cv", n_folds=1)),
            r"^n_folds of LeafRank's pruning is 1; give a whole number of at least 2\.$",
        ),
        (
            LeafRank(pruning=Pruning("cv", n_folds=2.0)),
            r"^n_folds of LeafRank's pruning is 2\.0; give a whole number of at least 2\.$",
        ),
    ],
)
def test_wrong_parameters_get_a_sentence(rule: LeafRank, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TreeRank(rule).fit([[0.0], [1.0]], [0, 1])
