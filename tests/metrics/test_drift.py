"""The population stability index against its definition, written out."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest.metrics.drift import FLOOR, chance_level, population_stability_index, stability_word


def naive(expected, actual):
    total = 0.0
    p = [max(value / sum(expected), FLOOR) for value in expected]
    q = [max(value / sum(actual), FLOOR) for value in actual]
    for a, b in zip(p, q):
        a, b = a / sum(p), b / sum(q)
        total += (a - b) * (math.log(a) - math.log(b))
    return total


masses = st.lists(st.integers(0, 100), min_size=2, max_size=8)


@given(masses, st.randoms(use_true_random=False))
def test_definition(expected, random):
    actual = [random.randint(0, 100) for _ in expected]
    if sum(expected) == 0 or sum(actual) == 0:
        return
    found = population_stability_index(expected, actual)
    assert found == pytest.approx(naive(expected, actual), abs=1e-12)
    assert found >= 0
    assert found == pytest.approx(population_stability_index(actual, expected), abs=1e-12)
    assert population_stability_index(expected, np.array(expected) * 3.0) == pytest.approx(0.0, abs=1e-12)


def test_by_hand():
    by_hand = (0.6 - 0.5) * math.log(0.6 / 0.5) + (0.4 - 0.5) * math.log(0.4 / 0.5)
    assert population_stability_index([0.5, 0.5], [0.6, 0.4]) == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("n", [(300, 500), (2000, 400)])
def test_chance_level(n):
    """Samples of one law stay below it as often as it says."""
    rng = np.random.default_rng(0)
    law = np.arange(1, 9) / 36
    draws = 4000
    index = [population_stability_index(rng.multinomial(n[0], law), rng.multinomial(n[1], law)) for _ in range(draws)]
    for level in (0.5, 0.95):
        below = np.mean(np.array(index) < chance_level(8, *n, level=level))
        assert abs(below - level) < 4 * np.sqrt(level * (1 - level) / draws) + 0.01  # 0.01: it holds for large samples


def test_empty_group_is_finite():
    assert 0.25 < population_stability_index([50, 50, 0], [40, 30, 30]) < 10
    assert stability_word(population_stability_index([50, 50, 0], [40, 30, 30])) == "shifted"


@pytest.mark.parametrize(
    ("expected", "actual", "said"),
    [
        ([1, 2], [1, 2, 3], "expected has 2 groups and actual has 3"),
        ([0, 0], [1, 2], "expected must be finite shares or masses"),
        ([1, 2], [1, -2], "actual must be finite shares or masses"),
        ([1, 2], [1, math.nan], "actual must be finite"),
    ],
)
def test_one_sentence(expected, actual, said):
    with pytest.raises(ValueError, match=said):
        population_stability_index(expected, actual)
