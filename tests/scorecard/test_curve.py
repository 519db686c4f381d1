"""Bands of totals: equal totals stay together, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest.data.parts import InvalidParts, Parts
from rankforest.metrics.interval import wilson
from rankforest.scorecard.curve import TotalCurve

ROWS = st.lists(st.tuples(st.integers(-5, 20), st.booleans(), st.integers(1, 3)), min_size=1, max_size=60)


@given(ROWS, st.integers(1, 8))
def test_bands_are_a_partition_of_the_rows(rows: list[tuple[int, bool, int]], n_bands: int) -> None:
    total, labels, weights = (np.array(column, dtype=float) for column in zip(*rows))
    curve = TotalCurve.of(total, labels.astype(np.uint8), weights, n_bands=n_bands)
    assert len(curve) <= n_bands
    assert (curve.high[:-1] < curve.low[1:]).all()
    inside = (total[:, None] >= curve.low) & (total[:, None] <= curve.high)
    assert (inside.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(curve.rows, inside.sum(axis=0))
    np.testing.assert_allclose(curve.mass[:, 1], inside.T @ (weights * labels))
    np.testing.assert_allclose(curve.mass.sum(axis=1), inside.T @ weights)


def test_intervals_are_wilsons_and_bands_of_many_totals_are_even() -> None:
    rng = np.random.default_rng(0)
    total = rng.permutation(2000).astype(float)
    labels = (rng.random(2000) < total / 2000).astype(np.uint8)
    curve = TotalCurve.of(total, labels, None)
    assert curve.rows.tolist() == [100.0] * 20
    for found, wanted in zip(curve.interval(0.9), wilson(curve.rate, curve.rows, 0.9)):
        np.testing.assert_array_equal(found, wanted)
    frame = curve.to_frame()
    assert ((frame["rate_low"] < frame["rate"]) & (frame["rate"] < frame["rate_high"])).all()
    with pytest.raises(ValueError, match="confidence"):
        curve.interval(2.0)


def test_parts() -> None:
    curve = TotalCurve.of(np.array([1.0, 2.0, 2.0, 5.0]), np.array([0, 1, 0, 1]), None)
    assert str(TotalCurve.from_parts(Parts(curve.to_parts()))) == str(curve)
    for name, value, said in (
        ("low", np.array([1.0, 6.0, 5.0]), "do not increase"),
        ("rows", np.array([1.0, 0.0, 1.0]), "below 1"),
        ("mass", np.zeros((3, 2)), "no weight"),
    ):
        with pytest.raises(InvalidParts, match=said):
            TotalCurve.from_parts(Parts(curve.to_parts() | {name: value}))
