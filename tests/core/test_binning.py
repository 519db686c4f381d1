"""Cut points and codes against counting by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from rankforest import _core
from rankforest.data.binning import Bins, find_bins
from rankforest.data.binning import bins_of as table_bins
from rankforest.data.table import read_table

quick = settings(max_examples=60, deadline=None)
ALL_ROWS = 10**9


def finite(bound: float) -> st.SearchStrategy[float]:
    return st.floats(-bound, bound)


@st.composite
def columns(draw: st.DrawFn, bound: float = 1e308) -> np.ndarray:
    """Values with repetitions, missing ones, neighbouring doubles and both zeros."""
    value = st.one_of(finite(bound), st.integers(-3, 3).map(float), st.sampled_from([0.0, -0.0, 5e-324, 1e-323]))
    pool = draw(st.lists(value, min_size=1, max_size=12))
    pool += [np.nextafter(x, math.inf) for x in pool[: draw(st.integers(0, 3))]]
    return np.array(draw(st.lists(st.sampled_from([*pool, math.nan]), min_size=1, max_size=60)))


def bins_of(
    column: np.ndarray, max_bins: int, max_sample: int = ALL_ROWS, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    return _core.find_bins([column], max_bins, max_sample, seed, 1)[0][:2]


def digits_of(column: np.ndarray, max_bins: int, max_sample: int = ALL_ROWS) -> tuple[np.ndarray, np.ndarray]:
    cuts, _, digits, _ = _core.find_bins([column], max_bins, max_sample, 0, 1)[0]
    return cuts, digits


def bins_of_a_column(column: np.ndarray, max_sample: int) -> Bins:
    table = read_table(column[:, None])
    return table_bins(table.schema, _core.find_bins([column], 255, max_sample, 0, 1))


def members(column: np.ndarray, cuts: np.ndarray) -> list[list[float]]:
    """Observed values of each bin, by the definition of a code."""
    groups: list[list[float]] = [[] for _ in range(len(cuts) + 1)]
    for x in column[~np.isnan(column)]:
        groups[naive.code(x, cuts) - 1].append(float(x))
    return groups


@quick
@given(columns())
def test_every_distinct_value_has_its_own_bin(column: np.ndarray) -> None:
    distinct = sorted(set(column[~np.isnan(column)].tolist()))
    for max_bins in (max(1, len(distinct)), 255):
        cuts, means = bins_of(column, max_bins)
        assert means.tolist() == distinct
        assert cuts.tolist() == naive.cut_points(column)
        assert all(a <= cut < b for cut, (a, b) in zip(cuts, pairwise(distinct), strict=True))


@quick
@given(columns(bound=1e300), st.integers(1, 8))
def test_few_bins_hold_whole_values(column: np.ndarray, max_bins: int) -> None:
    """At most max_bins bins, none empty, cut between neighbouring values, with the mean of what they hold."""
    cuts, means = bins_of(column, max_bins)
    groups = members(column, cuts)
    assert len(means) <= max_bins
    assert set(cuts) <= set(naive.cut_points(column))
    if len(means):
        assert all(groups)
        span = max(map(max, groups)) - min(map(min, groups))
        np.testing.assert_allclose(
            means, [math.fsum(g) / len(g) for g in groups], rtol=1e-12, atol=max(1e-12 * span, 1e-300)
        )


@pytest.mark.parametrize(("n", "max_bins"), [(100, 7), (1000, 255), (256, 255), (5000, 64), (10, 3)])
def test_bins_of_distinct_values_hold_equally_many_rows(n: int, max_bins: int) -> None:
    column = np.random.default_rng(0).normal(size=n)
    sizes = [len(g) for g in members(column, bins_of(column, max_bins)[0])]
    assert len(sizes) == max_bins
    assert max(sizes) - min(sizes) <= 1


def test_one_frequent_value_keeps_a_bin_to_itself() -> None:
    column = np.concatenate([np.arange(50.0), np.full(100, 20.0)])
    groups = members(column, bins_of(column, 4)[0])
    assert [20.0] * 101 in groups


def test_no_two_frequent_values_share_a_bin() -> None:
    """Rare 0, 2, 4, 6 between frequent 1, 3, 5 in four bins: each frequent value fills more than a quarter."""
    column = np.array([0.0, *[1.0] * 100, 2.0, *[3.0] * 100, 4.0, *[5.0] * 100, 6.0])
    groups = members(column, bins_of(column, 4)[0])
    assert sum(len({1.0, 3.0, 5.0} & set(g)) > 1 for g in groups) == 0


def test_long_columns_are_sorted_right() -> None:
    """Beyond a few thousand values another sort takes over."""
    rng = np.random.default_rng(1)
    column = np.concatenate([rng.normal(size=3000) * 10.0 ** rng.integers(-300, 300, 3000), rng.integers(-5, 5, 2000)])
    column[rng.random(5000) < 0.1] = np.nan
    cuts, means = bins_of(column, 65535)
    assert cuts.tolist() == naive.cut_points(column)
    assert means.tolist() == sorted(set(column[~np.isnan(column)].tolist()))


def test_a_sample_takes_one_row_of_each_stretch() -> None:
    column = np.arange(1000.0)
    _, means = bins_of(column, 255, max_sample=10, seed=3)
    assert [int(m) // 100 for m in means] == list(range(10))
    _, others = bins_of(column, 255, max_sample=10, seed=4)
    assert means.tolist() == bins_of(column, 255, max_sample=10, seed=3)[1].tolist()
    assert means.tolist() != others.tolist()


@quick
@given(columns(), st.integers(2, 255), st.sampled_from([ALL_ROWS, 5]))
def test_digits_tell_the_neighbours_of_a_cut_apart(column: np.ndarray, max_bins: int, max_sample: int) -> None:
    """Against all rows, also where the cuts come from a few of them."""
    known = column[~np.isnan(column)]
    cuts, digits = digits_of(column, max_bins, max_sample)
    for cut, d in zip(cuts.tolist(), digits.tolist(), strict=True):
        low, high = float(known[known <= cut].max()), float(known[known > cut].min())
        assert d == naive.digits_between(low, cut, high)
        assert all(low < float(f"{cut:.{more - 1}e}") < high for more in range(d, 17))


@quick
@given(columns() | columns(bound=1e-4) | columns(bound=1e6), st.sampled_from([4, 255]))
def test_round_cuts_keep_every_value_on_its_side(column: np.ndarray, max_bins: int) -> None:
    known = column[~np.isnan(column)]
    assume(len(known) > 0)
    bins = find_bins(read_table(column[:, None]), max_bins=max_bins)
    for cut, rounded in zip(bins.cuts[0], bins.round_cuts(0), strict=True):
        np.testing.assert_array_equal(known <= rounded, known <= cut)


@quick
@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=600), st.integers(0, 6))
def test_round_cuts_have_no_more_decimals_than_the_values(values: list[int], decimals: int) -> None:
    column = np.array(values) / 10.0**decimals
    bins = find_bins(read_table(column[:, None]), max_bins=1000)
    distinct = np.unique(column)
    rounded = bins.round_cuts(0)
    assert all(float(f"{cut:.{decimals}f}") == cut for cut in rounded)
    assert ((distinct[:-1] <= rounded) & (rounded < distinct[1:])).all()


@pytest.mark.parametrize(
    "column",
    [
        np.array([0.0, np.nextafter(-1.0, 0.0)]),  # nearly a whole number
        np.append(np.arange(300) + 0.25, np.arange(300) + 0.75),  # quarters, and every cut is at a half
        np.array([0.0, 3.6e302]),  # a million times as much is infinite
        np.array([-3.6e302, 3.6e302]),
    ],
)
def test_round_cuts_where_values_only_look_whole(column: np.ndarray) -> None:
    for max_sample in (ALL_ROWS, 100):
        bins = bins_of_a_column(column, max_sample)
        for cut, rounded in zip(bins.cuts[0], bins.round_cuts(0), strict=True):
            np.testing.assert_array_equal(column <= rounded, column <= cut)


def test_round_cuts_have_few_digits() -> None:
    bins = find_bins(read_table([[1, 0.12, 5119, 1.3], [2, 0.4567, 5178, 1.4], [4, 0.46, 6000, np.nan]]))
    assert [bins.round_cuts(j).tolist() for j in range(4)] == [[1, 3], [0.3, 0.458], [5150, 5600], [1.3]]


def test_seconds_since_1970_need_eleven_digits() -> None:
    cuts, digits = digits_of(1.6e9 + np.arange(5.0), 255)
    assert cuts.tolist() == [1600000000.5, 1600000001.5, 1600000002.5, 1600000003.5]
    assert digits.tolist() == [11, 11, 11, 11]


def test_a_column_without_values_has_no_bins() -> None:
    cuts, means = bins_of(np.full(5, np.nan), 255)
    assert len(cuts) == len(means) == 0


@quick
@given(st.lists(columns(), min_size=1, max_size=3), st.sampled_from([np.uint8, np.uint16]), st.integers(0, 2))
def test_codes_count_the_cuts_below(parts: list[np.ndarray], dtype: type, first: int) -> None:
    """Columns of any stride are written side by side from `first` on; nothing else is touched."""
    n = min(map(len, parts))
    block = np.column_stack([p[:n] for p in parts])
    cuts = [np.array(naive.cut_points(p)) for p in parts]
    codes = np.full((n, len(parts) + 3), 77, dtype=dtype)
    _core.encode([block[:, j] for j in range(len(parts))], cuts, codes, first, 1)
    expected = np.full(codes.shape, 77)
    expected[:, first : first + len(parts)] = [[naive.code(x, cuts[j]) for j, x in enumerate(row)] for row in block]
    assert codes.tolist() == expected.tolist()


@pytest.mark.parametrize(("dtype", "n_cuts"), [(np.uint8, 254), (np.uint16, 3000), (np.uint16, 65534)])
def test_codes_of_many_cuts_and_threads(dtype: type, n_cuts: int) -> None:
    """A table large enough to be shared among threads; cuts, values on them, and values outside."""
    rng = np.random.default_rng(2)
    cuts = np.sort(rng.normal(size=n_cuts))
    X = rng.normal(size=(260_000, 4)) * 2
    X[::7, 0] = np.nan
    X[:, 1] = rng.choice(cuts, len(X))
    X[:4, 2] = [np.inf, -np.inf, cuts[-1], cuts[0]]
    expected = np.where(np.isnan(X), 0, np.searchsorted(cuts, X, side="left") + 1)
    for n_threads in (1, 3):
        codes = np.empty(X.shape, dtype=dtype)
        _core.encode([X[:, j] for j in range(4)], [cuts] * 4, codes, 0, n_threads)
        assert np.array_equal(codes, expected)


def test_bins_do_not_depend_on_threads_or_neighbours() -> None:
    X = np.random.default_rng(3).integers(0, 400, (500, 5)).astype(float)
    together = _core.find_bins([X[:, j] for j in range(5)], 64, ALL_ROWS, 0, 3)
    for j, (cuts, means, _, low) in enumerate(together):
        alone = bins_of(X[:, j], 64)
        assert cuts.tolist() == alone[0].tolist()
        assert means.tolist() == alone[1].tolist()
        assert low.tolist() == [X[X[:, j] <= cut, j].max() for cut in cuts]


def test_codes_that_cannot_name_all_bins_are_refused() -> None:
    column = np.zeros(3)
    for dtype, most in ((np.uint8, 254), (np.uint16, 65534)):
        codes = np.zeros((3, 1), dtype=dtype)
        _core.encode([column], [np.arange(1.0, most + 1)], codes, 0, 1)
        assert codes.ravel().tolist() == [1, 1, 1]
        with pytest.raises(ValueError, match="more cuts"):
            _core.encode([column], [np.arange(1.0, most + 2)], codes, 0, 1)
    with pytest.raises(ValueError, match="length"):
        _core.encode([column], [np.arange(2.0)], np.zeros((2, 1), dtype=np.uint8), 0, 1)
    with pytest.raises(ValueError, match="too few columns"):
        _core.encode([column], [np.arange(2.0)], np.zeros((3, 1), dtype=np.uint8), 1, 1)
