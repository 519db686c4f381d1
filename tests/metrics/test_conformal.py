"""Conformal selection: the share of false discoveries over 200 runs, p-values and selections by brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from rankforest.metrics import conformal_p_values, conformal_selection
from rankforest.metrics._held_out_list import HeldOutList
from rankforest.metrics.budget import best_rows, clopper_pearson

RUNS = 200


def draw(rng: np.random.Generator, n: int, rate: float = 0.3, steps: float | None = None) -> tuple[Any, Any]:
    """Labels, and a score of a law that no method knows; rounded to steps it has ties, like the strata of a tree."""
    y = rng.random(n) < rate
    score = np.where(y, rng.normal(2.2, 1.2, n), rng.gumbel(-0.3, 0.6, n))
    return y, score if steps is None else np.round(score / steps) * steps


def false_shares(precision: float, *, rate: float = 0.3, steps: float | None = None, **options: Any) -> np.ndarray:
    """Share of negatives among the flagged rows of a fresh batch, in 200 runs."""
    found = []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        y, score = draw(rng, 300, steps=steps)
        fresh, fresh_score = draw(rng, 200, rate, steps)
        flagged = conformal_selection(y, score, fresh_score, precision, random_state=seed, **options).flagged
        found.append((flagged & ~fresh).sum() / max(flagged.sum(), 1))
    return np.array(found)


@pytest.mark.parametrize("steps", [None, 0.7])
@pytest.mark.parametrize("ties", ["conservative", "random"])
@pytest.mark.parametrize("precision", [0.6, 0.8, 0.9])
def test_the_mean_share_of_false_discoveries_is_at_most_the_level(
    precision: float, ties: str, steps: float | None
) -> None:
    found = false_shares(precision, ties=ties, steps=steps)
    error = found.std(ddof=1) / np.sqrt(RUNS)
    level = 1 - precision
    assert found.mean() <= level + 2.5 * error
    assert found.mean() >= (0.75 if steps is None else 0.3) * level, "not by flagging next to nothing"


def test_another_rate_of_positives_needs_the_negatives_alone() -> None:
    """A batch with 8% of positives beside held-out rows with 30%: only the negatives are exchangeable."""
    wrong, right = (false_shares(0.7, rate=0.08, exchangeable=which) for which in ("rows", "negatives"))
    assert wrong.mean() > 0.3 + 3 * wrong.std() / np.sqrt(RUNS)
    assert right.mean() <= 0.3 + 2.5 * right.std() / np.sqrt(RUNS)


lists = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=12)


@settings(max_examples=150, deadline=None)
@given(lists.filter(lambda rows: len({y for y, _ in rows}) == 2), st.lists(st.integers(-1, 6), min_size=1, max_size=9),
       st.integers(1, 9), st.sampled_from(["rows", "negatives"]))  # fmt: skip
def test_by_brute_force(rows: list[tuple[bool, int]], fresh: list[int], tenths: int, exchangeable: str) -> None:
    """All p-values and Benjamini and Hochberg's rule in fractions: flag k rows for the greatest possible k."""
    y, score = [label for label, _ in rows], [value for _, value in rows]
    n = len(rows) if exchangeable == "rows" else y.count(False)
    p = [Fraction(1 + sum(not label and value >= s for label, value in rows), n + 1) for s in fresh]
    found = conformal_p_values(y, score, fresh, exchangeable=exchangeable)
    np.testing.assert_allclose(found, [float(one) for one in p], rtol=1e-14)
    level = Fraction(tenths, 10)
    if (n + 1) * level < 1:
        with pytest.raises(ValueError, match=rf"With {n} held-out {exchangeable} no row can be flagged"):
            conformal_selection(y, score, fresh, float(1 - level), exchangeable=exchangeable)
        return
    cuts = [k for k in range(1, len(p) + 1) if sorted(p)[k - 1] <= level * k / len(p)]
    expected = [bool(cuts) and one <= sorted(p)[cuts[-1] - 1] for one in p]
    selection = conformal_selection(y, score, fresh, float(1 - level), exchangeable=exchangeable)
    assert selection.flagged.tolist() == expected
    least = [k for k in range(1, len(p) + 1) if Fraction(1, n + 1) <= level * k / len(p)]
    assert selection.fewest == least[0]
    assert selection.n_flagged == 0 or selection.n_flagged >= selection.fewest


def test_p_values_by_lot_are_uniform_for_tied_negatives() -> None:
    p = np.concatenate([
        conformal_p_values(np.repeat([0, 1], [19, 1]), np.append(np.ones(19), 9), [1.0], exchangeable="negatives",
                           ties="random", random_state=seed)
        for seed in range(RUNS)
    ])  # fmt: skip
    assert np.abs(np.sort(p) - (np.arange(RUNS) + 0.5) / RUNS).max() < 1.63 / np.sqrt(RUNS)  # Kolmogorov, 1%


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"precision": 1.0}, r"precision must be one number in \(0, 1\), got 1\.0"),
        ({"precision": [0.5, 0.6]}, r"precision must be one number in \(0, 1\)"),
        ({"precision": 0.99}, "With 12 held-out rows no row can be flagged at a precision of 0.99; at least 99 are"),
        ({"exchangeable": "all"}, "exchangeable must be 'rows' or 'negatives', got 'all'"),
        ({"ties": "nearest"}, "ties must be 'conservative' or 'random', got 'nearest'"),
        ({"score": [0.0, np.nan]}, "score must be finite, got nan in row 1"),
        ({"y_held_out": [0] * 12}, "y_true holds one class only"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"y_held_out": [0, 1] * 6, "held_out_score": range(12), "score": [1.0, 2.0]}
    with pytest.raises(ValueError, match=message):
        conformal_selection(**{**good, **change})


def test_words() -> None:
    y, score = np.repeat([0, 1], [30, 10]), np.arange(40.0)
    good = conformal_selection(y, score, np.append(np.zeros(6), np.full(6, 99.0)), 0.75)
    assert str(good) == (
        "6 of 12 rows are flagged; the expected share of positives among them is at least 0.75 (40 held-out rows, 30 "
        "negatives)."
    )
    assert list(good.to_frame()) == ["flagged", "p_value"]
    none = conformal_selection(y, score, np.append(np.zeros(60), 99.0), 0.75)
    assert str(none) == (
        "None of 61 rows is flagged: at precision 0.75 and with 40 held-out rows, at least 6 rows must stand out at "
        "once; hold out more rows, or lower the precision."
    )


def test_the_interval_of_a_budget_covers_the_precision_of_such_rows() -> None:
    """The edge of the batch is a threshold that knows nothing of the held-out labels."""
    covered = []
    rng = np.random.default_rng(1)
    population, population_score = draw(rng, 200_000)
    for _ in range(RUNS):
        y, score = draw(rng, 200)
        found = best_rows(draw(rng, 100)[1], 15, None, HeldOutList.of(y, score), 0.9)
        assert found.n_flagged == 15
        assert found.precision is not None
        covered.append(population[population_score >= found.threshold].mean() in found.precision)
    assert np.mean(covered) >= 0.9 - 2.5 * np.sqrt(0.09 / RUNS)


def test_clopper_pearson_by_its_definition() -> None:
    from scipy.stats import binomtest

    for successes, n in ((0, 5), (3, 7), (7, 7), (40, 90)):
        theirs = binomtest(successes, n).proportion_ci(0.9, method="exact")
        ours = clopper_pearson(successes, n, 0.9)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_the_held_out_rows_must_be_unknown_to_the_model() -> None:
    """What goes wrong otherwise: a tree that knows its rows by heart puts all held-out negatives at the bottom."""
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(1200, n_informative=3, flip_y=0.2, class_sep=0.6, random_state=0)
    known, apart, fresh = slice(0, 400), slice(400, 800), slice(800, 1200)
    tree = DecisionTreeClassifier(random_state=0).fit(X[known], y[known])
    score = tree.predict_proba(X)[:, 1]
    by_known, by_apart = (conformal_selection(y[rows], score[rows], score[fresh], 0.9) for rows in (known, apart))
    assert (y[fresh][by_known.flagged] == 0).mean() > 0.2
    assert by_apart.n_flagged == 0  # no stratum of this tree has the precision
