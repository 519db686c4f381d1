"""The fitted tree: statistics of its training sample by their definitions, and pickling."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, RankingTree, TreeRank
from rankforest.interpret import strata_table
from rankforest.metrics import roc_curve


def fit(seed: int, *, most: int = 0, n: int = 60, **params: object) -> tuple[naive.Sample, TreeRank]:
    """A tree on numbers, categories and missing values."""
    sample = naive.random_sample(np.random.default_rng(seed), n, 4, missing=0.15, categorical=True, most=most)
    options = {"splitter": LeafRank(max_depth=3), "max_depth": 4, **params}
    model = TreeRank(categorical_features=naive.categorical_features(sample), **options)
    return sample, model.fit(sample.X, sample.y, sample.w)


fits = st.builds(fit, st.integers(0, 2**32 - 1), most=st.sampled_from([0, 100]))
quick = settings(max_examples=30, deadline=None)


def strata_by_hand(tree: RankingTree, sample: naive.Sample) -> list[int]:
    arrays = naive.arrays_of(tree)
    number = naive.strata_numbers(arrays)
    return [number[int(tree.terminal_cell[naive.walk(arrays, row, sample.n_codes)[1]])] for row in sample.X]


@quick
@given(fits)
def test_apply_and_terminals_walk_the_dag(case: tuple[naive.Sample, TreeRank]) -> None:
    sample, model = case
    tree = model.tree_
    assert model.apply(sample.X).tolist() == tree.apply(sample.X).tolist() == strata_by_hand(tree, sample)
    terminals = [naive.walk(naive.arrays_of(tree), row, sample.n_codes)[1] for row in sample.X]
    assert tree.terminals(sample.X).tolist() == terminals
    assert tree.stratum_of_terminal[terminals].tolist() == strata_by_hand(tree, sample)


@quick
@given(fits)
def test_scores_are_mid_ranks(case: tuple[naive.Sample, TreeRank]) -> None:
    """One minus (mass ranked better + half of one's own), in all mass and in that of the negatives; and the rate."""
    sample, model = case
    tree, strata = model.tree_, strata_by_hand(model.tree_, sample)
    for k in range(tree.n_leaves):
        better, own = [i for i, s in enumerate(strata) if s < k], [i for i, s in enumerate(strata) if s == k]
        (b0, b1), (o0, o1), (n0, n1) = map(sample.mass, (better, own, range(len(strata))))
        assert tree.leaf_mass[k].tolist() == [o0, o1]
        assert tree.leaf_score[k] == pytest.approx(1 - (b0 + b1 + (o0 + o1) / 2) / (n0 + n1), abs=1e-12)
        assert tree.leaf_negative_score[k] == pytest.approx(1 - (b0 + o0 / 2) / n0, abs=1e-12)
        assert tree.leaf_rate[k] == pytest.approx(o1 / (o0 + o1), abs=1e-12)
    assert np.all(np.diff(tree.leaf_score) < 0)
    assert 0 < tree.leaf_score.min() <= tree.leaf_score.max() < 1
    assert model.score_samples(sample.X).tolist() == tree.leaf_score[strata].tolist()


@quick
@given(fits)
def test_roc_knots(case: tuple[naive.Sample, TreeRank]) -> None:
    """Cumulative shares of the strata: the knots of the training ROC curve."""
    sample, model = case
    alpha, beta = model.tree_.roc_knots()
    masses = [sample.mass(np.flatnonzero(model.apply(sample.X) == k)) for k in range(model.tree_.n_leaves)]
    np.testing.assert_allclose(np.column_stack([alpha, beta]), np.array(naive.knots(masses), dtype=float), atol=1e-12)
    curve = roc_curve(sample.y, model.score_samples(sample.X), sample_weight=sample.w)
    assert [len(curve.alpha), curve.alpha[0], curve.beta[-1]] == [len(alpha), 0.0, 1.0]
    np.testing.assert_allclose(curve.alpha, alpha, atol=1e-12)
    np.testing.assert_allclose(curve.beta, beta, atol=1e-12)


@quick
@given(fits)
def test_master_tree(case: tuple[naive.Sample, TreeRank]) -> None:
    """Leaves from left to right, depths by climbing to the root."""
    _, model = case
    tree = model.tree_
    assert tree.leaves.tolist() == list(naive.strata_numbers(naive.arrays_of(tree)))
    assert tree.n_leaves == len(tree.leaves)
    depths = []
    for cell in range(len(tree.cell_parent)):
        depth, at = 0, cell
        while tree.cell_parent[at] >= 0:
            depth, at = depth + 1, int(tree.cell_parent[at])
        depths.append(depth)
    assert tree.cell_depth.tolist() == depths
    assert tree.max_depth == max(depths)
    assert repr(tree).startswith(f"RankingTree({tree.n_leaves} strata, depth {max(depths)}, {len(tree.feature)} inner")


@quick
@given(fits)
def test_strata_table(case: tuple[naive.Sample, TreeRank]) -> None:
    """Rows, rate, lift and capture of every stratum, counted from the rows."""
    sample, model = case
    table, strata = strata_table(model.tree_), model.apply(sample.X)
    (n0, n1) = sample.mass(range(len(strata)))
    for k in range(len(table)):
        m0, m1 = sample.mass(np.flatnonzero(strata == k))
        c0, c1 = sample.mass(np.flatnonzero(strata <= k))
        assert table.rows[k] == (strata == k).sum()
        assert (table.mass[k], table.positives[k]) == (m0 + m1, m1)
        assert table.rate[k] == pytest.approx(m1 / (m0 + m1))
        assert table.lift[k] == pytest.approx(m1 / (m0 + m1) / (n1 / (n0 + n1)))
        assert table.cumulative_share[k] == pytest.approx((c0 + c1) / (n0 + n1))
        assert table.cumulative_capture[k] == pytest.approx(c1 / n1)


@pytest.mark.parametrize("protocol", [2, pickle.HIGHEST_PROTOCOL])
@pytest.mark.parametrize("used_before", [False, True])
def test_pickle(protocol: int, used_before: bool) -> None:
    """A tree that has been used, and one that has not, score the same after a round trip."""
    sample, model = fit(1)
    tree = model.tree_
    if used_before:
        tree.apply(sample.X)
    copy = pickle.loads(pickle.dumps(tree, protocol=protocol))
    assert copy.apply(sample.X).tolist() == strata_by_hand(tree, sample)
    assert copy.leaf_score.tolist() == tree.leaf_score.tolist()
    assert copy.schema == tree.schema
    for name, value in naive.arrays_of(tree).items():
        np.testing.assert_array_equal(getattr(copy, name), value, err_msg=name)
        assert getattr(copy, name).dtype == value.dtype
    again = pickle.loads(pickle.dumps(model, protocol=protocol))
    assert again.score_samples(sample.X).tolist() == model.score_samples(sample.X).tolist()


def test_a_tree_of_one_stratum() -> None:
    """Nothing to split on: one stratum, everybody in the middle."""
    model = TreeRank().fit(np.zeros((5, 2)), [0, 1, 0, 1, 1])
    tree = pickle.loads(pickle.dumps(model.tree_))
    assert tree.n_leaves == 1
    assert tree.auc == 0.5
    assert tree.apply(np.array([[1.0, 2.0], [np.nan, 0.0]])).tolist() == [0, 0]
    assert tree.leaf_score.tolist() == [0.5]
    assert [knots.tolist() for knots in tree.roc_knots()] == [[0.0, 1.0], [0.0, 1.0]]


def test_rows_are_walked_alike_in_threads() -> None:
    sample, model = fit(2, n=200)
    X = np.tile(sample.X, (600, 1))
    expected = np.tile(strata_by_hand(model.tree_, sample), 600)
    for n_threads in (1, 3):
        assert np.array_equal(model.tree_.apply(X, n_threads), expected)
