"""Which rows are held out: equal shares of every label, whole groups, the latest rows."""

import numpy as np
import pytest

from rankforest.data.hold_out import ANY_ROWS, Forward, Groups
from rankforest.judging import hold_out_share, k_folds


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("labels", [np.repeat([0, 1], [170, 30]), np.repeat([0, 1, 2], [100, 60, 40])])
def test_every_label_has_the_same_share(share, labels):
    folds = hold_out_share(labels, share, ANY_ROWS, seed=3)
    out = folds.held_out(0)
    assert np.bincount(labels[out]).tolist() == np.round(np.bincount(labels) * share).tolist()
    assert sorted([*out, *folds.seen(0)]) == list(range(len(labels)))
    assert not np.array_equal(out, hold_out_share(labels, share, ANY_ROWS, seed=4).held_out(0))


@pytest.mark.parametrize("ordered", [False, True])
def test_groups_of_unequal_size_come_near_the_share(ordered):
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(12), [200, 150, 100, 80, 60, 50, 40, 30, 20, 15, 10, 5]).astype(np.int32)
    labels = rng.integers(0, 3 if ordered else 2, len(codes)).astype(np.uint8)
    folds = hold_out_share(labels, 0.3, Groups(codes), seed=0, ordered=ordered)
    out, seen = folds.held_out(0), folds.seen(0)
    assert not set(codes[out]) & set(codes[seen])
    assert len(out) / len(codes) == pytest.approx(0.3, abs=0.02)


def test_the_latest_rows_are_held_out():
    times = np.random.default_rng(0).integers(0, 40, 500).astype(np.int32)
    labels = np.arange(500) % 2
    folds = hold_out_share(labels, 0.25, Forward(times), seed=0)
    assert times[folds.held_out(0)].min() > times[folds.seen(0)].max()
    assert len(folds.held_out(0)) == pytest.approx(125, abs=15)


def test_folds_hold_every_row_out_once_or_go_forward():
    labels = np.arange(60, dtype=np.uint8) % 2
    assert sorted(np.concatenate([k_folds(labels, 4, ANY_ROWS, 0).held_out(k) for k in range(4)])) == list(range(60))
    times = np.arange(60, dtype=np.int32)
    folds = k_folds(labels, 3, Forward(times), 0)
    for k in range(3):
        assert folds.seen(k).max() < folds.held_out(k).min()
    assert k_folds(np.arange(60) % 5, 3, ANY_ROWS, 0, ordered=True).n_folds == 3


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda y: hold_out_share(y, 1.0, ANY_ROWS, 0), "hold out is 1; give a number above 0 and below 1"),
        (lambda y: k_folds(y, 1, ANY_ROWS, 0), "folds is 1; give 2 or more"),
        (lambda y: k_folds(y, 9, ANY_ROWS, 0), "9 folds need 9 rows of each label, and one label has 3"),
        (
            lambda y: hold_out_share(y, 0.3, Groups((y == 1).astype(np.int32)), 0),
            "All rows of one label are in a single group",
        ),
        (
            lambda y: hold_out_share(np.sort(y), 0.2, Forward(np.arange(10, dtype=np.int32)), 0),
            "the rows held out have one label only",
        ),
    ],
)
def test_one_sentence(call, said):
    with pytest.raises(ValueError, match=said):
        call(np.repeat([0, 1], [7, 3]).astype(np.uint8))
