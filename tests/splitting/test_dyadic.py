"""Dyadic cubes against a dictionary of cubes and all unions of them, and trees of them against one sorted list."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forests
import naive
from cells import cell_of
from rankforest import Dyadic, TreeRank
from rankforest.data import simulate
from rankforest.growing.treerank import Growth, grow_by_rule
from rankforest.metrics import roc_auc
from rankforest.splitting.cell import Cell
from rankforest.splitting.dyadic import Cubes
from rankforest.splitting.grid import Grid
from rankforest.tree.rule_tree import RuleTree

NAN = np.nan


def cube(row: np.ndarray, X: np.ndarray, w: np.ndarray, resolution: int, categorical: list[int], missing: str) -> Any:
    """The cube of a row, one value at a time: place among 2^resolution intervals of the box, or the category."""
    places: list[int] = []
    for j, value in enumerate(row):
        observed = [Fraction(v) for v in X[:, j] if not math.isnan(v)]
        if j in categorical:
            places.append(naive.MISSING if math.isnan(value) else int(value))
            continue
        if math.isnan(value) and missing == "cell_mean" and observed:
            mass = [Fraction(int(m)) for m, v in zip(w, X[:, j]) if not math.isnan(v)]
            value = float(sum(m * v for m, v in zip(mass, observed)) / sum(mass))
        if math.isnan(value):
            places.append(naive.MISSING)
            continue
        low, high = min(observed, default=Fraction(0)), max(observed, default=Fraction(0))
        # a box that is a point has one interval, and what is outside belongs to the border: all values are in it
        place = math.floor((Fraction(value) - low) / (high - low) * 2**resolution) if high > low else 0
        places.append(min(max(place, 0), 2**resolution - 1))
    return tuple(places)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Cell, np.ndarray, np.ndarray, int, list[int], str]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.sampled_from([4, 9, 30, 100])), draw(st.integers(1, 3))
    X = rng.integers(-40, 41, (n, q)) / 8  # few digits: places at the border of two intervals are frequent, and exact
    categorical = [j for j in range(q) if draw(st.integers(0, 3)) == 0]
    X[:, categorical] = np.round(X[:, categorical])
    if draw(st.booleans()):
        X[:, 0] = 2.0  # constant
    X[rng.random((n, q)) < draw(st.sampled_from([0.0, 0.2]))] = NAN
    X[0] = 2.0
    for j in categorical:  # categories as the schema codes them
        observed = ~np.isnan(X[:, j])
        X[observed, j] = np.unique(X[observed, j], return_inverse=True)[1]
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    w = rng.integers(1, 5, n) if draw(st.booleans()) else np.ones(n, dtype=int)
    missing = draw(st.sampled_from(["learned", "cell_mean"]))
    cell = cell_of(X, y, w, categorical=categorical, min_samples_leaf=draw(st.sampled_from([1, 3])))
    return cell, X, w, draw(st.sampled_from([1, 2, 3, 9])), categorical, missing


@settings(max_examples=60, deadline=None)
@given(cases(), st.integers(0, 2**32 - 1))
def test_cubes_equal_a_dictionary(case: tuple[Any, ...], seed: int) -> None:
    cell, X, w, resolution, categorical, missing = case
    rows_of: dict[Any, list[int]] = {}
    for i, row in enumerate(X):
        rows_of.setdefault(cube(row, X, w, resolution, categorical, missing), []).append(i)
    rows_of = dict(sorted(rows_of.items()))  # of cubes with equal odds the first go left first
    sample = naive.Sample.of(X, cell.labels, w)
    masses = [sample.mass(rows) for rows in rows_of.values()]
    counts = [len(rows) for rows in rows_of.values()]
    total = sample.mass(range(len(X)))
    least = cell.min_samples_leaf

    def allowed(union: tuple[int, ...]) -> bool:
        n_left = sum(counts[i] for i in union)
        return min(n_left, len(X) - n_left) >= least

    chosen = naive.merge(masses, counts, least)
    most = naive.union_gain(masses, chosen, total)
    if len(masses) <= 9 and least == 1:  # no union at all gains more
        unions = (union for union in naive.subsets(range(len(masses))) if allowed(union))
        assert max((naive.union_gain(masses, union, total) for union in unions), default=0) <= most

    division = Dyadic(resolution, missing=missing).learn(cell)
    if division is None:
        assert most == 0
        return
    assert isinstance(division, Cubes)
    assert division.n_occupied == len(rows_of)
    assert len(division.left) < len(rows_of) <= len(X)  # only occupied cubes are stored, and not those that go right
    left = division.goes_left(X)
    assert all(len(set(left[rows])) == 1 for rows in rows_of.values())
    assert allowed(tuple(i for i, rows in enumerate(rows_of.values()) if left[rows[0]]))
    assert float(cell.gain(left)) == pytest.approx(float(most), abs=1e-12)

    # rows never seen: to the side of their cube, right where it was not occupied
    rng = np.random.default_rng(seed)
    fresh = rng.integers(-80, 81, (50, X.shape[1])) / 8.0
    fresh[rng.random(fresh.shape) < 0.15] = NAN
    for j in categorical:
        known = np.unique(X[~np.isnan(X[:, j]), j])
        fresh[:, j] = rng.choice([NAN, *known], 50)
    at = [rows_of.get(cube(row, X, w, resolution, categorical, missing)) for row in fresh]
    assert division.goes_left(fresh).tolist() == [rows is not None and bool(left[rows[0]]) for rows in at]


def test_unseen_cubes_and_values_outside_the_box_by_hand() -> None:
    """Box [0, 4] x [0, 4], four quarters. Occupied: low-low (negative), high-high and low-high (positive)."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [4.0, 4.0], [3.0, 3.0], [1.0, 3.0]])
    division = Dyadic(1).learn(cell_of(X, [0, 0, 1, 1, 1]))
    assert division is not None
    fresh = np.array([[3.0, 1.0], [2.0, 2.0], [1.99, 1.99], [99.0, 99.0], [-99.0, 99.0], [-99.0, -99.0], [99.0, 0.0]])
    assert division.goes_left(fresh).tolist() == [False, True, False, True, True, False, False]
    assert division.goes_left(np.array([[NAN, 3.0]])).tolist() == [False]  # no row was missing there
    assert division.words(True) == "in the 2 best of 3 occupied cubes of side 1/2"
    assert division.words(False) == "not in the 2 best of 3 occupied cubes of side 1/2"


def test_missing_is_an_interval_or_the_mean() -> None:
    x, y = np.array([0.0, 0.0, 3.0, 4.0, NAN, NAN])[:, None], [0, 0, 1, 1, 1, 1]
    learned = Dyadic(1).learn(cell_of(x, y))
    assert learned is not None
    assert learned.n_occupied == 3
    assert learned.goes_left(np.array([[NAN], [0.0], [3.0]])).tolist() == [True, False, True]
    mean = Dyadic(1, missing="cell_mean").learn(cell_of(x, y))  # 7 / 4, the lower half: two of four are positive
    assert mean is not None
    assert mean.n_occupied == 2
    assert mean.goes_left(np.array([[NAN], [0.0], [1.9], [2.1]])).tolist() == [False, False, False, True]


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1.0, 1e300, 8e307])
def test_values_of_any_size(scale: float) -> None:
    """No overflow where the box is wider than the largest number, no division by zero where it is next to nothing."""
    x = np.array([-2.0, -1.0, 1.0, 2.0])[:, None] * scale
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        model = TreeRank(Dyadic(2)).fit(x, [0, 0, 1, 1])
        assert model.apply(x).tolist() == [1, 1, 0, 0]
        assert model.apply([[-1.7e308], [1.7e308]]).tolist() == [1, 0]


@pytest.mark.parametrize("n_categories", [3, 49, 103, 1000])
def test_every_category_is_an_interval_of_its_own(n_categories: int) -> None:
    codes = np.repeat(np.arange(float(n_categories)), 2)[:, None]
    division = Dyadic(1).learn(cell_of(codes, np.repeat(np.arange(n_categories) % 2, 2), categorical=[0]))
    assert division is not None
    assert division.n_occupied == n_categories
    assert division.goes_left(np.arange(float(n_categories))[:, None]).tolist() == [
        bool(c % 2) for c in range(n_categories)
    ]


def test_constants_gain_nothing() -> None:
    assert Dyadic(3).learn(cell_of(np.ones((10, 2)), [0, 1] * 5)) is None
    assert TreeRank(Dyadic(3)).fit(np.ones((10, 2)), [0, 1] * 5).tree_.n_leaves == 1


def test_a_feature_without_a_value_in_the_cell() -> None:
    """Once observed in the table, never in the cell: every row is missing there, and nothing warns."""
    X = np.array([[0.0, NAN], [1.0, NAN], [2.0, NAN], [3.0, NAN], [4.0, 1.0]])
    for missing in ("learned", "cell_mean"):
        cell = cell_of(X, [0, 0, 1, 1, 1]).take(np.arange(5) < 4)
        with np.errstate(all="raise"):
            division = Dyadic(1, missing=missing).learn(cell)
        assert division is not None
        assert division.goes_left(X[:4]).tolist() == [False, False, True, True]


def test_thirty_features_at_resolution_eight() -> None:
    """2^240 cubes; storage is that of the rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 30))
    cell = cell_of(X, rng.integers(0, 2, 2000))
    tracemalloc.start()
    division = Dyadic(8).learn(cell)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20 * X.nbytes
    assert division is not None
    assert division.n_occupied == 2000
    assert division.left.nbytes <= 2000 * 30 * 4


def test_drawn_features_are_the_only_ones_looked_at() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    cell = cell_of(X, rng.integers(0, 2, 50), max_features=2)
    division = Dyadic(2).learn(cell)
    assert division is not None
    assert division.features.tolist() == cell.features.tolist()
    for j in range(4):
        moved = X.copy()
        moved[:, j] = rng.permutation(moved[:, j])
        same = np.array_equal(division.goes_left(moved), division.goes_left(X))
        assert same == (j not in cell.features)


@pytest.mark.parametrize("resolution", [0, -1, 1.5, "2", True])
def test_a_wrong_resolution_gets_a_sentence(resolution: Any) -> None:
    with pytest.raises(ValueError, match=r"^Dyadic's resolution is .*; give a whole number of at least 1\.$"):
        TreeRank(Dyadic(resolution)).fit([[0.0], [1.0]], [0, 1])


def test_a_resolution_beyond_reason_gets_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^Dyadic's resolution is 31; the most is 30, a billion intervals\.$"):
        TreeRank(Dyadic(31)).fit([[0.0], [1.0]], [0, 1])
    x = np.arange(4.0)[:, None]
    assert TreeRank(Dyadic(30)).fit(x, [0, 0, 1, 1]).tree_.auc == 1.0


def test_the_uniform_mixture_is_made_of_cubes() -> None:
    """The paper's first example is constant on the four quarters of the square: their order is found."""
    train, test = simulate.uniform_mixture(4000, random_state=0), simulate.uniform_mixture(4000, random_state=1)
    model = TreeRank(Dyadic(1), max_depth=2).fit(train.X, train.y)
    assert isinstance(model.tree_, RuleTree)
    quarters = np.array([[0.9, 0.1], [0.1, 0.1], [0.9, 0.9], [0.1, 0.9]])  # eta: 3/4, 2/3, 2/5, 1/5
    assert model.apply(quarters).tolist() == [0, 1, 2, 3]
    # the box is that of the sample, a hair smaller than the square
    assert roc_auc(test.y, model.score_samples(test.X)) == pytest.approx(roc_auc(test.y, test.eta), abs=1e-3)


def test_frames_with_categories_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "city": rng.choice(["Lyon", "Nice", "Paris"], 300)})
    y = np.where(frame["city"] == "Nice", 1, frame["x"] > 0.5).astype(int)
    frame.loc[::7, "city"] = None
    frame.loc[::5, "x"] = NAN
    model = TreeRank(Dyadic(2), max_depth=3).fit(frame, y)
    assert model.tree_.auc > 0.85
    unseen = frame.head(20).assign(city="Oslo")
    gone = frame.head(20).assign(city=None)
    assert model.apply(unseen).tolist() == model.apply(gone).tolist()


def merged_by_ratio(
    X: np.ndarray, cell: Cell, w: np.ndarray, resolution: int, categorical: list[int], missing: str
) -> Any:
    """The occupied cubes sorted by beta/alpha, those of equal ratio in one stratum: the stratum of each row."""
    cubes = [cube(row, X, w, resolution, categorical, missing) for row in X]
    positives: dict[Any, Fraction] = {}
    mass: dict[Any, Fraction] = {}
    for where, label, weight in zip(cubes, cell.labels, w):
        mass[where] = mass.get(where, Fraction(0)) + int(weight)
        positives[where] = positives.get(where, Fraction(0)) + int(weight) * int(label)
    rates = {where: positives[where] / mass[where] for where in mass}  # increasing in beta/alpha
    order = sorted(set(rates.values()), reverse=True)
    return [order.index(rates[where]) for where in cubes], len(mass)


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from([None, 1, 2, 4]))
def test_a_tree_merges_the_cubes_of_one_grid(case: tuple[Any, ...], max_depth: int | None) -> None:
    """Grown to the end it is the sorted list of cubes; its strata are runs of that list always: a concave curve."""
    cell, X, w, resolution, categorical, missing = case
    least = cell.min_samples_leaf
    growth = Growth(Dyadic(resolution, missing=missing), max_depth=max_depth, min_samples_leaf=least)
    tree = grow_by_rule(cell.sample, growth, seed=0)
    strata, (expected, n_cubes) = tree.apply(X), merged_by_ratio(X, cell, w, resolution, categorical, missing)
    assert tree.n_leaves <= n_cubes
    if max_depth is None and least == 1:
        assert strata.tolist() == expected
    else:  # a run can end among cubes of equal ratio, where min_samples_leaf asks for it
        assert [e for _, e in sorted(zip(strata, expected))] == sorted(expected)
    mass = [[sum(Fraction(int(v)) for v in w[(strata == s) & (cell.labels == k)]) for k in (0, 1)]
            for s in range(tree.n_leaves)]  # fmt: skip
    for better, worse in pairwise(mass):  # no slope is less than the next one
        assert better[1] * worse[0] >= worse[1] * better[0]


@pytest.mark.parametrize(("resolution", "most"), [(1, 4), (2, 16)])
def test_at_most_as_many_strata_as_cubes_in_the_plane(resolution: int, most: int) -> None:
    sample = simulate.conditional_gaussians(3000, random_state=0)
    tree = TreeRank(Dyadic(resolution), max_depth=None).fit(sample.X, sample.y).tree_
    assert tree.n_leaves == most  # 3000 rows occupy all of them, and no two rates are equal
    alpha, beta = tree.roc_knots()
    slopes = np.diff(beta) / np.diff(alpha)
    assert (np.diff(slopes) < 0).all()


def test_all_cells_folds_and_samples_have_the_grid_of_the_table() -> None:
    sample = forests.mixed_sample(0, n=200)
    forest, _ = forests.grove_of(sample, 4, rule=Dyadic(2), max_features=2)
    fold = sample.take(np.arange(200) % 3 > 0)
    trees = [*forest.trees, grow_by_rule(fold, Growth(Dyadic(2)), seed=0)]
    grid = Grid.of(sample, 2, "learned")
    n_cells = 0
    for tree in trees:
        assert isinstance(tree, RuleTree)
        for division in tree.divisions:
            if division is not None:
                n_cells += 1
                for name in ("low", "spread", "n_intervals"):
                    expected = getattr(grid, name)[division.features]
                    np.testing.assert_array_equal(getattr(division.grid, name), expected)
    assert n_cells > 20


def test_unseen_cubes_belong_to_the_last_stratum() -> None:
    """Three of four quarters are occupied; the fourth goes right in every cell."""
    X = np.array([[0.0, 0.0]] * 3 + [[1.0, 1.0]] * 3 + [[0.0, 1.0]] * 3)
    model = TreeRank(Dyadic(1)).fit(X, [0, 0, 1, 1, 1, 1, 0, 1, 1])
    assert model.apply([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]).tolist() == [0, 1, 2, 2]


def test_missing_numbers_take_the_mean_of_the_tree_in_every_cell() -> None:
    """The cube of a row is the same in all cells: with means of each cell it would wander, and nothing be concave."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=400) > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = NAN
    model = TreeRank(Dyadic(2, missing="cell_mean")).fit(X, y)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    assert model.tree_.n_leaves > 4
    assert model.apply(X).tolist() == model.apply(filled).tolist()


def test_the_box_of_the_cell_is_cut_anew() -> None:
    """On request: two intervals per cell find eight steps, which the halves of the table cannot tell apart."""
    x = np.arange(64.0)[:, None]
    y = np.arange(64) // 8 % 2
    assert TreeRank(Dyadic(1)).fit(x, y).tree_.n_leaves == 1  # both halves have the rate of the whole
    y = (np.random.default_rng(0).random(64) < np.arange(64) / 64).astype(int)
    table, cell = (TreeRank(Dyadic(1, box=box)).fit(x, y) for box in ("table", "cell"))
    assert table.tree_.n_leaves == 2
    assert cell.tree_.n_leaves > 4
    first, second = (cell.tree_.divisions[i] for i in (0, 1))
    assert second.grid.spread < first.grid.spread


def test_wrong_boxes_get_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^Dyadic's box is 'row'; choose one of 'table', 'cell'\.$"):
        TreeRank(Dyadic(1, box="row")).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"^Dyadic's box is 'cell' and its resolution is None; give a resolution"):
        TreeRank(Dyadic(box="cell")).fit([[0.0], [1.0]], [0, 1])
