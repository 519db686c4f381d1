"""The best single cut of a cell against trying every feature, every threshold, every side and every set."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from naive import Inner, Master, Sample
from rankforest import _core

WIDTHS = [1, 3, 4, 5, 8, 9, 17, 31, 32, 33, 65]  # around blocks of 4, 8 and 32 features
FLOORS = [Fraction(0), Fraction(1, 20), Fraction(1, 5), Fraction(2, 5)]


@st.composite
def samples(draw: st.DrawFn, categorical: bool = False, weighted: bool = True) -> Sample:
    """Few distinct values and many ties, with missing values and, if asked for, features of up to five categories."""
    q = draw(st.sampled_from(WIDTHS[:4] if categorical else WIDTHS))
    n = draw(st.sampled_from([2, 3, 5, 8, 12, 20, 30, 63, 64, 65, 90]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    levels = draw(st.sampled_from([2, 4, 30]))
    X = rng.integers(0, levels, (n, q)).astype(float)
    categories = [draw(st.integers(0, 5)) if categorical else 0 for _ in range(q)]
    for j, k in enumerate(categories):
        if k:
            X[:, j] = rng.integers(0, k, n)
    X[rng.random((n, q)) < draw(st.sampled_from([0.0, 0.2, 0.7]))] = np.nan
    y = (rng.random(n) < draw(st.sampled_from([0.2, 0.5]))).astype(np.uint8)
    y[rng.permutation(n)[:2]] = 0, 1
    w = rng.integers(1, 50, n) if weighted and draw(st.booleans()) else None
    return Sample.of(X, y, w, categories)


def grow_one_cut(sample: Sample, inner: Inner, dtype: type = np.uint8) -> dict[str, np.ndarray]:
    """The core's tree of one cut; weights of one take the path of whole multiplicities."""
    weights = None if set(sample.w) == {1} else np.array(sample.w, dtype=np.int64)
    params = naive.core_params(Master(inner, max_depth=1))
    table = naive.exact_table(sample, dtype)
    return _core.grow(table.core, sample.y, weights, 1.0, params, 0, True, 1, 0, 1)[0]


def rows_left_of_root(arrays: dict[str, np.ndarray], sample: Sample) -> list[int]:
    """Rows on the left of the only inner node, by walking each of them."""
    return [i for i, row in enumerate(sample.X) if naive.walk(arrays, row, sample.n_codes)[1] == ~arrays["left"][0]]


def check_cut(sample: Sample, inner: Inner, dtype: type, *, all_subsets: bool = False) -> None:
    """The cut of the core has the best gain, respects the limits, and its masses match the rows on both sides."""
    arrays = grow_one_cut(sample, inner, dtype)
    rows = range(len(sample.y))
    best = naive.best_cut(sample, rows, rows, range(sample.X.shape[1]), inner, all_subsets=all_subsets)
    if best is None:
        assert len(arrays["feature"]) == 0
        return
    assert len(arrays["feature"]) == 1
    left = rows_left_of_root(arrays, sample)
    node_mass, left_mass = sample.mass(rows), sample.mass(left)
    assert arrays["node_mass"][0].tolist() == list(node_mass)
    assert arrays["left_mass"][0].tolist() == list(left_mass)
    reached = naive.gain(inner.criterion, left_mass, node_mass, node_mass)
    assert float(reached) == pytest.approx(float(best.gain), abs=1e-9)

    right = [i for i in rows if i not in left]
    assert min(len(left), len(right)) >= inner.min_samples_leaf
    for side in (left, right):
        assert naive.balanced_share(sample.mass(side), node_mass) >= inner.min_mass_leaf
    # the better side of the cut is the left child of the cell, and the gain is Lambda at the root
    better = max(left, right, key=lambda side: naive.lambda_of(sample, side, rows))
    assert arrays["cell_mass"][1].tolist() == list(sample.mass(better))
    assert arrays["cell_gain"][0] == pytest.approx(float(naive.lambda_of(sample, better, rows)), abs=1e-12)


@settings(max_examples=180, deadline=None)
@given(
    samples(),
    st.sampled_from(["gini", "auc"]),
    st.sampled_from(["learned", "cell_mean"]),
    st.sampled_from([1, 2, 5]),
    st.sampled_from(FLOORS),
    st.sampled_from([np.uint8, np.uint16]),
)
def test_numeric_cut_is_the_best_of_all(
    sample: Sample, criterion: str, missing: str, min_samples_leaf: int, min_mass_leaf: Fraction, dtype: type
) -> None:
    inner = Inner(criterion, missing, 1, min_samples_leaf=min_samples_leaf, min_mass_leaf=min_mass_leaf)
    check_cut(sample, inner, dtype)


@settings(max_examples=100, deadline=None)
@given(samples(categorical=True), st.sampled_from(["gini", "auc"]), st.sampled_from(["learned", "cell_mean"]))
def test_categorical_cut_is_the_best_of_all_sets(sample: Sample, criterion: str, missing: str) -> None:
    """Numeric and categorical features side by side; the missing are one more category."""
    check_cut(sample, Inner(criterion, missing, 1), np.uint8, all_subsets=True)


@settings(max_examples=60, deadline=None)
@given(
    samples(categorical=True), st.sampled_from(["gini", "auc"]), st.sampled_from([2, 5]), st.sampled_from(FLOORS[1:])
)
def test_categorical_cut_within_limits_is_the_best_prefix(
    sample: Sample, criterion: str, min_samples_leaf: int, min_mass_leaf: Fraction
) -> None:
    inner = Inner(criterion, "learned", 1, min_samples_leaf=min_samples_leaf, min_mass_leaf=min_mass_leaf)
    check_cut(sample, inner, np.uint16)


@pytest.mark.parametrize("criterion", ["gini", "auc"])
@pytest.mark.parametrize("n_categories", [63, 64, 65, 130, 300])
def test_more_categories_than_a_word_has_bits(criterion: str, n_categories: int) -> None:
    rng = np.random.default_rng(n_categories)
    X = rng.integers(0, n_categories, (3 * n_categories, 1)).astype(float)
    X[rng.random(len(X)) < 0.05] = np.nan
    y = (rng.random(len(X)) < 0.4).astype(np.uint8)
    check_cut(Sample.of(X, y, None, [n_categories]), Inner(criterion, "learned", 1), np.uint16)


@settings(max_examples=60, deadline=None)
@given(samples(), st.sampled_from(["gini", "auc"]))
@example(Sample.of(np.array([[0.0], [1.0], [4.0]]), np.array([1, 0, 0], dtype=np.uint8)), "gini")
def test_cell_mean_sends_the_missing_where_the_mean_goes(sample: Sample, criterion: str) -> None:
    """Missing values go left if the mean of the observed values is <= the threshold, even if the node has none."""
    arrays = grow_one_cut(sample, Inner(criterion, "cell_mean", 1))
    for j, threshold, missing_left in zip(arrays["feature"], arrays["threshold"], arrays["missing_left"]):
        observed = [i for i in range(len(sample.y)) if not math.isnan(sample.X[i, j])]
        mean = sum(Fraction(sample.X[i, j]) * sample.w[i] for i in observed) / sum(sample.w[i] for i in observed)
        assert bool(missing_left) == (mean <= threshold)


@pytest.mark.parametrize("categories", [0, 2])
def test_unseen_missing_values_follow_the_majority(categories: int) -> None:
    """Two rows against one, and the other way round."""
    for positives in ([0], [0, 1]):
        X = np.array([[float(i not in positives)] for i in range(3)])
        y = np.array([i in positives for i in range(3)], dtype=np.uint8)
        sample = Sample.of(X, y, None, [categories])
        arrays = grow_one_cut(sample, Inner(max_depth=1))
        left = rows_left_of_root(arrays, sample)
        missing = naive.walk(arrays, np.array([math.nan]), sample.n_codes)[1]
        assert (missing == ~arrays["left"][0]) == (len(left) == 2)


@pytest.mark.parametrize("criterion", ["gini", "auc"])
@pytest.mark.parametrize("missing", ["learned", "cell_mean"])
@pytest.mark.parametrize("n", [65_535, 70_000])
def test_cut_of_a_cell_beyond_sixteen_bits(criterion: str, missing: str, n: int) -> None:
    """Narrow and broad words are scanned by different code. The rows are many copies of few: weights do the copying."""
    rng = np.random.default_rng(n)
    X = rng.integers(0, 6, (24, 9)).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.integers(0, 2, 24).astype(np.uint8)
    copies = np.full(24, n // 24) + (np.arange(24) < n % 24)
    copies[0] += copies[1:5].sum() - 4
    copies[1:5] = 1
    few = Sample.of(X, y, copies)
    table = naive.exact_table(few)
    params = naive.core_params(Master(Inner(criterion, missing, 1), max_depth=1))
    many = naive.BinnedTable(np.repeat(table.codes, copies, axis=0), table.bins)
    arrays = _core.grow(many.core, np.repeat(y, copies), None, 1.0, params, 0, True, 1, 0, 1)[0]
    best = naive.best_cut(few, range(24), range(24), range(9), Inner(criterion, missing, 1))
    assert best is not None
    masses = [tuple(int(m) for m in arrays[name][0]) for name in ("left_mass", "node_mass")]
    assert masses[1] == few.mass(range(24))
    assert float(naive.gain(criterion, *masses, masses[1])) == pytest.approx(float(best.gain), abs=1e-9)
    assert masses[0] == few.mass(rows_left_of_root(arrays, few))
