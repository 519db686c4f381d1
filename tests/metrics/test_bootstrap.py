"""Bootstrap intervals: the fast way equals the plain way, and the errors are those of theory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest, norm
from sklearn.metrics import average_precision_score

from rankforest.metrics import (
    auc_interval,
    auc_test,
    average_precision,
    bootstrap_interval,
    bootstrap_test,
    gini,
    hit_ratio,
    ks_statistic,
    local_auc,
    relative_local_auc,
    roc_auc,
    roc_curve,
)
from rankforest.metrics._inputs import check_ranking_inputs
from rankforest.metrics._resampling import MASS_METRICS, SortedList, draws


def sample(n: int, seed: int, ties: bool = True) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, n - 2))
    score = rng.normal(size=n) + y
    return y, np.round(score, 1) if ties else score


def recall(y: Any, score: Any, u: float, *, sample_weight: Any) -> float:
    """Where the curve meets the control line, by interpolation along the curve."""
    curve, p = roc_curve(y, score, sample_weight=sample_weight), np.average(y, weights=sample_weight)
    return float(np.interp(u, p * curve.beta + (1 - p) * curve.alpha, curve.beta))


def partial_auc(y: Any, score: Any, u: float, *, sample_weight: Any) -> float:
    """Trapezia up to the control line."""
    curve, p = roc_curve(y, score, sample_weight=sample_weight), np.average(y, weights=sample_weight)
    share = p * curve.beta + (1 - p) * curve.alpha
    before = share < u
    ends = [np.interp(u, share, knots) for knots in (curve.alpha, curve.beta)]
    return float(np.trapezoid(np.append(curve.beta[before], ends[1]), np.append(curve.alpha[before], ends[0])))


PLAIN = {
    "roc_auc": lambda y, s, u, w: roc_auc(y, s, sample_weight=w),
    "gini": lambda y, s, u, w: gini(y, s, sample_weight=w),
    "ks_statistic": lambda y, s, u, w: ks_statistic(y, s, sample_weight=w),
    "relative_local_auc": lambda y, s, u, w: relative_local_auc(y, s, u, sample_weight=w),
    "average_precision": lambda y, s, u, w: average_precision(y, s, sample_weight=w),
    "local_auc": lambda y, s, u, w: local_auc(y, s, u, sample_weight=w),
    "hit_ratio": lambda y, s, u, w: hit_ratio(y, s, u, sample_weight=w),
    "recall_at": lambda y, s, u, w: recall(y, s, u, sample_weight=w),
    "partial_auc": lambda y, s, u, w: partial_auc(y, s, u, sample_weight=w),
}


@pytest.mark.parametrize("weighted", [False, True])
def test_every_metric_on_a_draw_is_the_metric_of_the_drawn_rows(weighted: bool) -> None:
    """Sorted once and weighted by the draws, or the drawn rows written out: the same value."""
    assert set(PLAIN) == set(MASS_METRICS)
    y, score = sample(60, 0)
    weight = np.random.default_rng(1).integers(0, 4, 60) / 2.0 if weighted else None
    inputs = check_ranking_inputs(y, score, sample_weight=weight)
    ordered = SortedList(inputs, inputs.score)
    own = np.ones(60) if weight is None else weight
    for drawn in draws(inputs, 30, np.random.default_rng(2)):
        times = np.divide(drawn, own, out=np.zeros(60), where=own > 0).astype(int)
        assert [times[y == label].sum() for label in (0, 1)] == [np.sum((y == label) & (own > 0)) for label in (0, 1)]
        rows = np.repeat(np.arange(60), times)
        for u in (0.05, 0.3, 1.0):
            for name, plain in PLAIN.items():
                assert MASS_METRICS[name](ordered.mass(drawn), u) == pytest.approx(
                    plain(y[rows], score[rows], u, own[rows]), abs=1e-12
                ), (name, u)


def test_functions_names_and_user_functions_agree() -> None:
    y, score = sample(80, 3)
    by_name = bootstrap_interval(y, score, "local_auc", 0.2, n_replicates=50)
    assert bootstrap_interval(y, score, local_auc, 0.2, n_replicates=50) == by_name
    called = bootstrap_interval(
        y, score, lambda y, s, u, sample_weight: local_auc(y, s, u, sample_weight=sample_weight), 0.2, n_replicates=50
    )
    assert (called.estimate, called.low, called.high) == pytest.approx((by_name.estimate, by_name.low, by_name.high))
    outside = bootstrap_interval(np.where(y, "b", "a"), score, average_precision_score, n_replicates=50)
    own = bootstrap_interval(y, score, "average_precision", n_replicates=50)
    assert (outside.low, outside.high) == pytest.approx((own.low, own.high))


def test_the_standard_error_is_that_of_delong() -> None:
    for seed, ties in ((4, True), (5, False)):
        y, score = sample(400, seed, ties)
        found, exact = bootstrap_interval(y, score), auc_interval(y, score)
        assert found.estimate == pytest.approx(exact.estimate)
        assert found.standard_error == pytest.approx(exact.standard_error, rel=0.08)
        assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=0.01)
        weight = np.random.default_rng(6).random(400)
        found = bootstrap_interval(y, score, sample_weight=weight)
        assert found.standard_error == pytest.approx(
            auc_interval(y, score, sample_weight=weight).standard_error, rel=0.1
        )


@pytest.mark.parametrize("method", ["percentile", "bias-corrected"])
def test_intervals_stay_in_range_and_cover(method: str) -> None:
    """The local AUC of a binormal score: its value on 200 000 rows lies in 95% intervals."""
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], 100_000)
    truth = local_auc(y, rng.normal(size=200_000) + y, 0.2)
    few, inside = np.repeat([0, 1], 150), 0
    for seed in range(80):
        found = bootstrap_interval(
            few, rng.normal(size=300) + few, "local_auc", 0.2, method=method, n_replicates=120, random_state=seed
        )
        assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
        inside += truth in found
    assert 0.90 < inside / 80 < 0.99


def test_paired_test() -> None:
    y, score = sample(300, 8, ties=False)
    worse = score + np.random.default_rng(9).normal(size=300)
    found, exact = bootstrap_test(y, score, worse), auc_test(y, score, worse)
    assert found.difference.estimate == pytest.approx(exact.difference.estimate)
    assert found.difference.standard_error == pytest.approx(exact.difference.standard_error, rel=0.1)
    assert found.p_value < 0.05
    assert bootstrap_test(y, score, np.exp(score)).p_value == 1.0
    assert bootstrap_test(y, worse, score).p_value == found.p_value


@pytest.mark.parametrize(
    ("metric", "u", "alternative"), [("roc_auc", None, "two-sided"), ("local_auc", 0.3, "greater")]
)
def test_p_values_when_nothing_differs(metric: str, u: float | None, alternative: str) -> None:
    """Uniform for the AUC; never too small for the top of a short list, where the bootstrap is cautious."""
    rng, y, p_values = np.random.default_rng(10), np.repeat([0, 1], 75), []
    for seed in range(80):
        signal, noise = y + rng.normal(size=150), rng.normal(size=(2, 150))
        one, other = signal + noise[0], signal + noise[1]
        p_values.append(bootstrap_test(y, one, other, metric, u, n_replicates=99, random_state=seed).p_value)
    assert kstest(p_values, "uniform", alternative=alternative).pvalue > 0.01
    assert np.mean(np.array(p_values) < 0.05) < 0.11


def test_seeds_and_bias_correction() -> None:
    y, score = sample(100, 11)
    one, other = (bootstrap_interval(y, score, n_replicates=100, random_state=seed) for seed in (1, 2))
    assert one == bootstrap_interval(y, score, n_replicates=100, random_state=1)
    assert one.low != other.low
    # moved by hand: the quantiles at Phi(2 z0 + z)
    inputs = check_ranking_inputs(y, score)
    ordered = SortedList(inputs, inputs.score)
    drawn = [MASS_METRICS["hit_ratio"](ordered.mass(w), 0.1) for w in draws(inputs, 100, np.random.default_rng(1))]
    found = bootstrap_interval(y, score, "hit_ratio", 0.1, n_replicates=100, random_state=1, method="bias-corrected")
    below = np.mean(np.append(np.sign(found.estimate - np.array(drawn)) / 2 + 0.5, 0.5))
    ends = np.quantile(drawn, norm.cdf(2 * norm.ppf(below) + norm.ppf([0.025, 0.975])))
    assert (found.low, found.high) == pytest.approx(ends)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": "lift"}, r"^metric must be a function or one of roc_auc, .*, got 'lift'\.$"),
        ({"metric": "local_auc"}, r"^u is missing; metric local_auc needs the best share u of the list, such as u=0.1"),
        ({"metric": "roc_auc", "u": 0.1}, r"^u is 0.1, but metric roc_auc is for the whole list; "),
        ({"metric": "hit_ratio", "u": 2.0}, r"^u must lie in \(0, 1\], got 2.0"),
        ({"metric": "hit_ratio", "u": [0.1, 0.2]}, r"^u must be one share of the list"),
        ({"method": "bca"}, r"^method must be 'percentile' or 'bias-corrected', got 'bca'\.$"),
        ({"n_replicates": 1}, r"^n_replicates must be an integer of at least 2, got 1; use 1000\.$"),
        ({"confidence": 1.0}, r"^confidence must lie between 0 and 1, got 1.0"),
        ({"metric": lambda y, s, sample_weight: np.nan}, r"^metric must return one finite number, got nan"),
    ],
)
def test_bad_input_gets_a_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap_interval([0, 1, 0, 1], [1, 2, 3, 4], **arguments)
