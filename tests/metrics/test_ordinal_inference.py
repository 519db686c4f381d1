"""`evaluate_ordinal` and `compare_ordinal` gather figures of ordered labels, all on the same draws of the rows."""

import numpy as np
import pytest

from rankforest.metrics import (
    compare_ordinal,
    concordance_index,
    evaluate_ordinal,
    mean_absolute_rank_error,
    quadratic_kappa,
)

GRADES = np.array(["poor", "fair", "good"])
ORDER = GRADES.tolist()
WEIGHTS = np.random.default_rng(0).integers(0, 3, 120).astype(float)


def ordered_rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    score = truth + rng.normal(size=n)
    return GRADES[truth], score, GRADES[np.clip(np.round(score), 0, 2).astype(int)]


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_ordinal_figures(weights):
    y, score, guess = ordered_rows()
    found = evaluate_ordinal(y, score, guess, order=ORDER, n_replicates=50, sample_weight=weights)
    more = {"order": ORDER, "sample_weight": weights}
    expected = [f(y, guess, **more) for f in (mean_absolute_rank_error, quadratic_kappa)]
    assert [row.value for row in found.rows] == pytest.approx([concordance_index(y, score, **more), *expected])
    assert all(row.low <= row.value <= row.high for row in found.rows)
    assert found.n_positive is None


def test_numbers_count_steps_and_not_their_distance():
    found = evaluate_ordinal([10, 20, 100], [1, 2, 3], [10, 100, 100], n_replicates=20)
    assert found.rows[1].value == pytest.approx(1 / 3)


def test_ordinal_models_are_compared_on_the_same_draws():
    y, score, guess = ordered_rows()
    noise = np.random.default_rng(1).normal(size=len(y))
    models = {"noise": (noise, guess), "good": (score, guess), "same": (score, guess)}
    found = compare_ordinal(models, y, order=ORDER, n_replicates=200)
    assert found.baseline == "good"
    assert found.chosen
    rows = {(row.metric, row.model): row for row in found.rows}
    same = rows["C-index", "same"]
    assert (same.difference.low, same.difference.high, same.p_value) == (0.0, 0.0, 1.0)
    worse = rows["C-index", "noise"]
    assert worse.difference.high < 0
    assert worse.adjusted_p_value == 2 * worse.p_value < 0.05
    assert rows["quadratic kappa", "noise"].difference.estimate == 0.0
    assert rows["C-index", "good"].difference is None
    single = evaluate_ordinal(y, score, guess, order=ORDER, n_replicates=200)
    assert [rows[row.metric, "good"].value.low for row in single.rows] == [row.low for row in single.rows]
    assert "3 models on 120 rows; intervals" in str(found)
    assert compare_ordinal(models, y, order=ORDER, baseline="noise", n_replicates=5).baseline == "noise"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluate_ordinal([1, 2], [1, 2], [1], n_replicates=5), "y_pred has 1 rows and y_true has 2"),
        (lambda: evaluate_ordinal([1, 2], [1, 2], [1, 3], n_replicates=5), "y_pred holds 3 in row 1"),
        (lambda: evaluate_ordinal([1, 2], [1, 2], [1, 2], n_replicates=0), "n_replicates must be an integer"),
        (lambda: compare_ordinal({}, [1, 2]), "models is empty"),
        (lambda: compare_ordinal({"a": ([1, 2], [1, 2])}, [1, 2], baseline="b"), "baseline 'b' is not among"),
    ],
)
def test_one_sentence(call, said):
    with pytest.raises(ValueError, match=said):
        call()
