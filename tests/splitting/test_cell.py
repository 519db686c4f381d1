"""Cells: the input of splitting rules, held-out rows, and the protocol."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from cells import Above, Fixed, cell_of
from rankforest import _core
from rankforest.splitting.cell import Cell, Division, held_out_sides

NAN = np.nan


def test_what_a_cell_knows_by_hand() -> None:
    X = [[1.0, 0.0], [NAN, 1.0], [4.0, NAN], [7.0, 1.0]]
    whole = cell_of(X, [0, 1, 1, 0], [1, 2, 3, 4], categorical=[1])
    cell = whole.take(np.array([True, True, True, False]))
    assert cell.rows.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(cell.X, X[:3])
    assert cell.labels.tolist() == [0, 1, 1]
    assert cell.weights.tolist() == [1.0, 2.0, 3.0]
    assert (cell.mass * whole.sample.units).tolist() == [1.0, 5.0]
    np.testing.assert_array_equal(cell.means, [(1 * 1 + 4 * 3) / 4, NAN])  # weighted; categories have none
    assert cell.name == "the root (depth 0, 3 rows)"
    better, other = cell.children(np.array([False, True, False]))
    assert (better.rows.tolist(), other.rows.tolist()) == ([1], [0, 2])
    assert (better.path, other.path) == ("+", "-")
    assert other.children(np.array([True, False]))[0].name == "node -+ (depth 2, 1 rows)"
    assert len({cell.key, better.key, other.key}) == 3


def test_means_where_nothing_is_observed_are_missing() -> None:
    cell = cell_of([[NAN], [NAN], [3.0]], [0, 1, 1]).take(np.array([True, True, False]))
    assert np.isnan(cell.means).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_gain_is_beta_minus_alpha(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    w = rng.integers(1, 9, n) if weighted else np.ones(n, dtype=int)
    cell = cell_of(rng.normal(size=(n, 1)), y, w if weighted else None)
    sides = rng.random((3, n)) < 0.5
    shares = [
        [Fraction(int(w[left & (y == k)].sum()), int(w[y == k].sum())) for k in (0, 1)] for left in sides
    ]  # fmt: skip
    expected = [float(beta - alpha) for alpha, beta in shares]
    assert cell.gain(sides).tolist() == pytest.approx(expected, abs=1e-15)
    assert float(cell.gain(sides[1])) == pytest.approx(expected[1], abs=1e-15)


def test_a_side_with_the_odds_of_the_cell_gains_exactly_nothing() -> None:
    """3 of 9 and 7 of 21 with weights that have no exact binary form: rounding must not make that a gain."""
    y = np.repeat([0, 1], [9, 21])
    cell = cell_of(np.zeros((30, 1)), y, np.full(30, 0.1))
    left = np.concatenate([np.arange(9) < 3, np.arange(21) < 7])
    assert cell.gain(left) == 0.0


@pytest.mark.parametrize("drawn", [0, 1, 2, 3])
def test_features_are_drawn_as_in_the_core(drawn: int) -> None:
    cell = cell_of(np.random.default_rng(0).normal(size=(6, 4)), [0, 1] * 3, key=77, max_features=drawn)
    assert cell.features.tolist() == naive.draw_features(range(4), drawn, _core.child_key(77, 2))
    assert len(cell.features) == (drawn or 4)
    assert cell.take(np.arange(6) < 4).features.tolist() == cell.features.tolist()  # a fold draws the same


# ---- held-out rows


@pytest.mark.parametrize(
    ("negatives", "positives", "asked", "n_folds"), [(20, 20, 5, 5), (20, 3, 5, 3), (2, 9, 5, 2), (50, 50, 2, 2)]
)
def test_every_fold_leaves_both_classes_outside(negatives: int, positives: int, asked: int, n_folds: int) -> None:
    y = np.repeat([0, 1], [negatives, positives])
    folds = cell_of(np.zeros((len(y), 1)), y).folds(asked)
    assert folds is not None
    assert set(folds) == set(range(n_folds))
    for fold in range(n_folds):
        assert set(y[folds != fold]) == {0, 1}
        for k, size in ((0, negatives), (1, positives)):
            assert (folds[y == k] == fold).sum() in (size // n_folds, -(-size // n_folds))


def test_a_single_row_of_a_class_has_no_folds() -> None:
    cell = cell_of(np.arange(9.0)[:, None], [1] + [0] * 8)
    assert cell.folds(5) is None
    assert held_out_sides(Fixed(3.0), cell) is None


def test_folds_belong_to_the_cell() -> None:
    y = np.arange(40) % 2
    one, same, other = (cell_of(np.zeros((40, 1)), y, key=key).folds(5) for key in (3, 3, 4))
    assert one is not None
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


class Mean(Fixed):
    """Above the mean of the rows that it has seen; nothing where the positives are few."""

    least = 0

    def learn(self, cell: Cell) -> Division | None:
        return Above(float(cell.X[:, 0].mean())) if cell.labels.sum() >= self.least else None


def test_held_out_sides_by_a_plain_loop() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=23), np.arange(23) % 2
    cell = cell_of(x[:, None], y)
    folds = cell.folds(5)
    assert folds is not None
    expected = [bool(x[i] > x[folds != folds[i]].mean()) for i in range(23)]
    found = held_out_sides(Mean(0.0), cell)
    assert found is not None
    assert found.tolist() == expected
    assert found.tolist() != (x > x.mean()).tolist()  # in-sample routing would be another one


def test_rows_of_a_fold_without_a_division_go_right() -> None:
    cell = cell_of(np.arange(10.0)[:, None], [0, 1] * 5)
    rule = Mean(0.0)
    rule.least = 99
    assert held_out_sides(rule, cell).tolist() == [False] * 10  # type: ignore[union-attr]


def test_divide_routes_as_the_rule_says() -> None:
    """In-sample: by the division itself. Held-out: by the folds' divisions, while the division is that of all rows."""

    class HeldOut(Mean):
        routes_held_out = True  # type: ignore[assignment]

    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    cell = cell_of(x[:, None], x + rng.normal(size=60) > 0)
    inside, outside = Mean(0.0).divide(cell), HeldOut(0.0).divide(cell)
    assert inside is not None
    assert outside is not None
    assert inside.division == outside.division == Above(float(x.mean()))
    assert inside.left.tolist() == (x > x.mean()).tolist()
    assert outside.left.tolist() == held_out_sides(Mean(0.0), cell).tolist()  # type: ignore[union-attr]
    assert outside.left.tolist() != inside.left.tolist()
    # nothing gained on held-out rows: the cell stays whole, though in-sample there is a gain
    backwards = cell_of(-x[:, None], x + rng.normal(size=60) > 0)
    assert HeldOut(0.0).divide(backwards) is None
    assert Mean(0.0).divide(backwards) is not None  # the loop of growth will refuse it
    assert HeldOut(0.0).divide(cell_of(np.arange(5.0)[:, None], [1, 0, 0, 0, 0])) is None  # no folds
