"""`evaluate` gathers figures: each is that of the function it comes from."""

import numpy as np
import pytest

from rankforest.data import simulate
from rankforest.metrics import (
    auc_interval,
    average_precision,
    bootstrap_interval,
    calibration_error,
    evaluate,
    ks_statistic,
)
from rankforest.metrics.interval import mean_interval

SAMPLE = simulate.rf20(300, random_state=0)
WEIGHTS = np.random.default_rng(0).integers(0, 3, 300).astype(float)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_every_figure_is_that_of_its_own_function(weights):
    found = evaluate(SAMPLE.y, SAMPLE.eta, u=[0.1, 0.5], probability=SAMPLE.eta, n_replicates=50, sample_weight=weights)
    rows = {row.metric: row for row in found.rows}
    assert list(rows) == [
        "AUC", "Gini", "KS", "average precision", "local AUC, top 10%", "local AUC, top 50%",
        "relative local AUC, top 10%", "relative local AUC, top 50%", "hit ratio, top 10%", "hit ratio, top 50%",
        "recall, top 10%", "recall, top 50%", "Brier score", "calibration error",
    ]  # fmt: skip
    auc = auc_interval(SAMPLE.y, SAMPLE.eta, sample_weight=weights)
    assert (rows["AUC"].value, rows["AUC"].low, rows["AUC"].high) == (auc.estimate, auc.low, auc.high)
    ends = [getattr(rows["Gini"], name) for name in ("value", "low", "high")]
    assert ends == pytest.approx([2 * auc.estimate - 1, 2 * auc.low - 1, 2 * auc.high - 1])
    assert rows["KS"].value == pytest.approx(ks_statistic(SAMPLE.y, SAMPLE.eta, sample_weight=weights))
    precision = average_precision(SAMPLE.y, SAMPLE.eta, sample_weight=weights)
    assert rows["average precision"].value == pytest.approx(precision)
    local = bootstrap_interval(SAMPLE.y, SAMPLE.eta, "local_auc", 0.5, n_replicates=50, sample_weight=weights)
    assert (rows["local AUC, top 50%"].low, rows["local AUC, top 50%"].high) == (local.low, local.high)
    positive = SAMPLE.y == 1
    brier = np.average((SAMPLE.eta - positive) ** 2, weights=weights)
    assert rows["Brier score"].value == pytest.approx(brier)
    assert rows["Brier score"].low < brier < rows["Brier score"].high
    assert rows["calibration error"].value == calibration_error(SAMPLE.eta, positive.astype(float), weights)
    assert rows["calibration error"].low is None
    assert (found.n_rows, found.n_positive) == (300, positive.sum())
    assert found.to_dict()["value"] == [row.value for row in found.rows]


def test_the_positive_label_can_be_chosen():
    turned = evaluate(SAMPLE.y, -SAMPLE.eta, u=0.1, pos_label=-1, n_replicates=5)
    assert turned.rows[0].value == pytest.approx(evaluate(SAMPLE.y, SAMPLE.eta, u=0.1, n_replicates=5).rows[0].value)
    assert turned.n_positive == (SAMPLE.y == -1).sum()


def test_mean_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(0)
    holds = [0.5 in mean_interval(rng.random(80), None, 0.9) for _ in range(1000)]
    assert np.mean(holds) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluate(SAMPLE.y, SAMPLE.eta, u=2), r"u must lie in \(0, 1\], got 2"),
        (lambda: evaluate(SAMPLE.y, SAMPLE.eta, confidence=3), "confidence must lie between 0 and 1"),
        (lambda: evaluate(SAMPLE.y, SAMPLE.eta, probability=[0.5]), "probability has 1 rows and y_true has 300"),
    ],
)
def test_one_sentence(call, said):
    with pytest.raises(ValueError, match=said):
        call()
