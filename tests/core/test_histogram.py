"""Class histograms, built and by subtraction, compared with counting."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import _core
from rankforest.data.binning import BinnedTable, Bins

WIDTHS = [1, 3, 4, 5, 8, 9, 17]


def binned(codes: np.ndarray, n_bins: list[int]) -> BinnedTable:
    """Codes with bins 1, 2, ...; their values do not matter here."""
    values = tuple(np.arange(1.0, n + 1) for n in n_bins)
    return BinnedTable(codes, Bins(tuple(v[:-1] for v in values), values, np.zeros(len(n_bins), dtype=bool)))


def check(
    codes: np.ndarray,
    n_bins: list[int],
    labels: np.ndarray,
    weights: np.ndarray | None,
    n_classes: int,
    packed: bool,
    features: list[int],
    in_child: np.ndarray,
) -> None:
    """All rows, the child, and its sibling: three histograms, each counted on its own rows."""
    got = _core.histograms(
        binned(codes, n_bins).core, labels.astype(np.int32), weights, n_classes, packed, features, in_child.tolist()
    )
    mass = np.ones(len(labels), dtype=np.int64) if weights is None else weights
    everything = np.ones(len(labels), dtype=bool)
    n_codes = max(n_bins[j] for j in features) + 1
    for histogram, rows in zip(got, (everything, in_child, ~in_child), strict=True):
        want = naive.histogram(codes[rows][:, features], labels[rows], mass[rows], n_classes, n_codes)
        if packed:  # a row drawn twice is two rows
            want[:, :, n_classes] = want[:, :, :n_classes].sum(axis=2)
        np.testing.assert_array_equal(histogram, want)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[int], np.random.Generator]:
    q = draw(st.sampled_from(WIDTHS))
    n_bins = draw(st.lists(st.integers(1, 7), min_size=q, max_size=q))
    if draw(st.booleans()):
        n_bins[draw(st.integers(0, q - 1))] = 255  # one wide feature in a block of narrow ones
    dtype = draw(st.sampled_from([np.uint8, np.uint16]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, 60))
    codes = np.column_stack([rng.integers(0, b + 1, n) for b in n_bins]).astype(dtype)
    return codes, n_bins, rng


@settings(max_examples=120, deadline=None)
@given(tables(), st.data())
def test_histograms_count(table: tuple, data: st.DataObject) -> None:
    """Any number of features, subsets of them, two to five classes, whole multiplicities and fixed-point weights."""
    codes, n_bins, rng = table
    n, q = codes.shape
    packed = data.draw(st.booleans())
    n_classes = 2 if packed else data.draw(st.integers(2, 5))
    most = data.draw(st.sampled_from([None, 1, 3, 65535] if packed else [None, 3, 2**40]))
    weights = None if most is None else rng.integers(1, most + 1, n)
    features = sorted(data.draw(st.sets(st.integers(0, q - 1), min_size=1))) if data.draw(st.booleans()) else range(q)
    labels = rng.integers(0, n_classes, n)
    check(codes, n_bins, labels, weights, n_classes, packed, list(features), rng.random(n) < rng.random())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    ("n", "child_share", "positives"),
    [
        (65_535, 0.6, 0.0),
        (65_536, 0.02, 0.0),
        (65_536, 0.6, 1.0),
        (70_001, 0.02, 1.0),
        (70_001, 0.98, 0.999),
        (140_000, 0.5, 1.0),
    ],
)
def test_more_rows_than_sixteen_bits_count(dtype: type, n: int, child_share: float, positives: float) -> None:
    """Cells around 2^16 rows, nearly all in one bin and one class, with children on either side of the border."""
    rng = np.random.default_rng(n)
    codes = np.ones((n, 5), dtype=dtype)
    codes[:, 1:] = rng.integers(0, 4, (n, 4))
    labels = (rng.random(n) < positives).astype(int)
    in_child = rng.random(n) < child_share
    for features in ([0, 1, 2, 3, 4], [0, 3]):
        check(codes, [3] * 5, labels, None, 2, True, features, in_child)


@pytest.mark.parametrize("weight", [1, 2, 40_000, 65_535])
def test_heavy_multiplicities_do_not_spill_into_the_other_class(weight: int) -> None:
    """Each row nearly fills, or the rows together overflow, the sixteen bits of a class."""
    n = 70_000 if weight <= 2 else 12
    rng = np.random.default_rng(weight)
    codes = rng.integers(0, 3, (n, 3)).astype(np.uint8)
    labels = rng.integers(0, 2, n)
    weights = np.full(n, weight, dtype=np.int64)
    check(codes, [2] * 3, labels, weights, 2, True, [0, 1, 2], rng.random(n) < 0.3)


def test_packed_histograms_have_two_classes() -> None:
    table = binned(np.ones((2, 1), dtype=np.uint8), [1]).core
    with pytest.raises(ValueError, match="two classes"):
        _core.histograms(table, np.zeros(2, dtype=np.int32), None, 3, True, [0], [0, 1])
