"""The population stability index against its definition, written out."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankforest import RankingForest
from rankforest.metrics.drift import FLOOR, DriftMeter, chance_level, population_stability_index, stability_word


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


class Trained:
    """A frame with gaps and categories, and a forest that was fitted to it."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.frame = pd.DataFrame({"age": rng.normal(size=500), "city": rng.choice(["Lyon", "Nice", "Paris"], 500)})
        self.frame.loc[::7, "age"] = np.nan
        y = (self.frame["age"].fillna(0) + rng.normal(size=500) > 0).astype(int)
        self.model = RankingForest(20, random_state=0).fit(self.frame, y)
        self.meter = DriftMeter(self.model.summary_, self.model.schema_)


def test_nothing_has_moved_in_the_training_rows_in_whatever_batches_they_come():
    for size in (500, 60):
        trained = Trained()
        for start in range(0, 500, size):
            trained.meter.see(trained.frame[start : start + size])
        found = trained.meter.features()
        assert list(found) == ["age", "city"]
        assert all(drift.index == pytest.approx(0.0, abs=1e-12) for drift in found.values())
        assert trained.meter.scores(trained.model.oob_scores_).index == pytest.approx(0.0, abs=1e-6)


def test_drift_is_the_index_of_groups_counted_one_by_one():
    trained = Trained()
    moved = trained.frame.assign(age=trained.frame["age"] + 0.5, city="Rome")  # Rome is new: it counts as missing
    trained.meter.see(moved)
    summary = trained.model.summary_.features
    counts = [0] * (len(summary[0].shares) + 1)
    for value in moved["age"]:
        counts[-1 if np.isnan(value) else sum(edge < value for edge in summary[0].edges)] += 1
    found = trained.meter.features()
    assert found["age"].index == pytest.approx(naive([*summary[0].shares, summary[0].missing], counts), rel=1e-9)
    assert found["age"].by_chance == chance_level(len(counts), 500, 500)
    assert found["city"].index == pytest.approx(naive([*summary[1].shares, 0.0], [0, 0, 0, 500]), rel=1e-9)
    assert found["city"].reading == "shifted"
