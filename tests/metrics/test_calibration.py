"""Groups by probability, by brute force."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest.metrics import calibration_error, reliability

_ROW = st.tuples(st.integers(0, 30), st.integers(0, 1), st.integers(0, 3))
_DENOMINATOR = 32  # probabilities are exact


def groups_by_rows(rows: list[tuple[int, int, int]], n_groups: int) -> list[list[tuple[int, int, int]]]:
    """Each row goes where the middle of the rows of its probability lies on the list that is cut into equal parts."""
    distinct = sorted({p for p, _, _ in rows})
    found: dict[int, list[tuple[int, int, int]]] = {}
    for row in rows:
        below, equal = sum(p < row[0] for p, _, _ in rows), sum(p == row[0] for p, _, _ in rows)
        middle = (below + Fraction(equal, 2)) / len(rows)
        place = distinct.index(row[0]) if len(distinct) <= n_groups else int(middle * n_groups)
        found.setdefault(place, []).append(row)
    return [group for _, group in sorted(found.items())]


@given(st.lists(_ROW, min_size=1, max_size=60).filter(lambda rows: any(w for _, _, w in rows)), st.integers(1, 12))
def test_the_groups_are_those_of_brute_force(rows: list[tuple[int, int, int]], n_groups: int) -> None:
    p, y, w = (np.array(column) for column in zip(*rows))
    found = reliability(p / _DENOMINATOR, y, w.astype(float), n_groups=n_groups)
    kept = [group for group in groups_by_rows(rows, n_groups) if any(w for _, _, w in group)]
    mass = [sum(w for _, _, w in group) for group in kept]
    assert found.mass.tolist() == mass
    predicted = [Fraction(sum(p * w for p, _, w in group), m * _DENOMINATOR) for group, m in zip(kept, mass)]
    np.testing.assert_allclose(found.predicted, [float(value) for value in predicted], rtol=1e-12)
    observed = [Fraction(sum(y * w for _, y, w in group), m) for group, m in zip(kept, mass)]
    np.testing.assert_allclose(found.observed, [float(value) for value in observed], rtol=1e-12)


@given(st.lists(_ROW, min_size=1, max_size=60))
def test_the_error_is_the_mean_distance_of_ten_groups(rows: list[tuple[int, int, int]]) -> None:
    p, y, _ = (np.array(column) for column in zip(*rows))
    groups = groups_by_rows(rows, 10)
    error = sum(abs(sum(Fraction(p, _DENOMINATOR) - y for p, y, _ in group)) for group in groups) / len(rows)
    assert calibration_error(p / _DENOMINATOR, y, None) == pytest.approx(float(error), abs=1e-12)


@given(st.lists(_ROW, min_size=1, max_size=60), st.randoms())
def test_the_order_of_equal_probabilities_does_not_matter(rows: list[tuple[int, int, int]], random: Random) -> None:
    """Groups that cut through ties depend on the order of the rows."""
    shuffled = list(rows)
    random.shuffle(shuffled)
    errors = []
    for table in (rows, shuffled):
        p, y, _ = (np.array(column) for column in zip(*table))
        errors.append(calibration_error(p / _DENOMINATOR, y, None))
    assert errors[0] == pytest.approx(errors[1], abs=1e-12)


@pytest.mark.parametrize("n", [10, 57, 1000])
def test_groups_of_different_probabilities_have_equally_many_rows(n: int) -> None:
    p = np.random.default_rng(0).permutation(n) / n
    mass = reliability(p, np.zeros(n), None).mass
    assert len(mass) == 10
    assert mass.max() - mass.min() <= 1


def test_equal_probabilities_have_exactly_their_value() -> None:
    p = np.repeat([0.1, 0.2, 0.7], [7, 11, 13])
    assert reliability(p, np.zeros(31), np.linspace(0.1, 0.9, 31)).predicted.tolist() == [0.1, 0.2, 0.7]
